/** Converts the usage of messages, whose input tokens exclude the cached ones. */
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import { asCount, asObject } from "../invalid-response.ts";
import type { Usage } from "../neutral.ts";

export function readMessagesUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const cached_tokens = asCount(value.cache_read_input_tokens);
  const cache_write_tokens = asCount(value.cache_creation_input_tokens);
  return defined({
    input_tokens:
      (asCount(value.input_tokens) ?? 0) + (cached_tokens ?? 0) + (cache_write_tokens ?? 0),
    cached_tokens,
    cache_write_tokens,
    output_tokens: asCount(value.output_tokens) ?? 0,
    reasoning_tokens: asCount(asObject(value.output_tokens_details).thinking_tokens),
  });
}

/** Members that `readMessagesUsage` reads. */
const MEMBERS = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "output_tokens",
  "output_tokens_details",
];

/** Returns the usage with the members that an event of the stream changes. */
export function mergeMessagesUsage(before: JsonObject, value: unknown): JsonObject {
  const merged = { ...before };
  const changed = asObject(value);
  for (const name of MEMBERS) if (Object.hasOwn(changed, name)) merged[name] = changed[name];
  return merged;
}

export function writeMessagesUsage(usage: Usage | undefined): JsonObject {
  const cached = usage?.cached_tokens ?? 0;
  const written = usage?.cache_write_tokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage?.input_tokens ?? 0) - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: usage?.output_tokens ?? 0,
    ...(usage?.reasoning_tokens !== undefined && {
      output_tokens_details: { thinking_tokens: usage.reasoning_tokens },
    }),
  };
}
