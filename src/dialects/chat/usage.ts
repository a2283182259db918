/** Converts the usage of chat completions. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import { asCount, asObject } from "../invalid-response.ts";
import type { Usage } from "../neutral.ts";

export function readChatUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = asObject(value.prompt_tokens_details);
  const output = asObject(value.completion_tokens_details);
  return defined({
    input_tokens: asCount(value.prompt_tokens) ?? 0,
    // DeepSeek has its own name.
    cached_tokens: asCount(input.cached_tokens) ?? asCount(value.prompt_cache_hit_tokens),
    // OpenRouter.
    cache_write_tokens: asCount(input.cache_write_tokens),
    output_tokens: asCount(value.completion_tokens) ?? 0,
    reasoning_tokens: asCount(output.reasoning_tokens),
  });
}

export const writeChatUsage = (usage: Usage | undefined): JsonObject => {
  const { input_tokens = 0, output_tokens = 0, reasoning_tokens = 0 } = usage ?? {};
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: defined({
      cached_tokens: usage?.cached_tokens ?? 0,
      cache_write_tokens: usage?.cache_write_tokens,
    }),
    completion_tokens_details: { reasoning_tokens },
  };
};
