/** Reads a Converse response. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import {
  asCount,
  asList,
  asObject,
  asText,
  invalidResponse,
  quoteName,
  unknownContent,
} from "../invalid-response.ts";
import type { NeutralResponse, OutputPart, StopReason, Usage } from "../neutral.ts";
import { REDACTED } from "./write-content.ts";

export function readConverseResponse(body: JsonObject): NeutralResponse {
  const { content } = asObject(asObject(body.output).message);
  return defined({
    parts: asList(content).map((block) => readBlock(asObject(block))),
    stop_reason: readStopReason(body.stopReason),
    usage: readUsage(body.usage),
  });
}

function readBlock(block: JsonObject): OutputPart {
  if (typeof block.text === "string") return { type: "text", text: block.text };
  if (block.toolUse) {
    const { toolUseId, name, input } = asObject(block.toolUse);
    if (typeof toolUseId !== "string" || typeof name !== "string") {
      throw invalidResponse("has a tool call without an id or a name");
    }
    return { type: "tool_call", id: toolUseId, name, arguments: JSON.stringify(input ?? {}) };
  }
  if (block.reasoningContent) return readReasoning(asObject(block.reasoningContent));
  if (block.citationsContent) {
    const { content } = asObject(block.citationsContent);
    const texts = asList(content).map((part) => asText(asObject(part).text));
    return { type: "text", text: texts.join("") };
  }
  throw unknownContent(Object.keys(block)[0]);
}

function readReasoning({ reasoningText, redactedContent }: JsonObject): OutputPart {
  if (typeof redactedContent === "string") {
    return { type: "thinking", text: "", signature: toRedacted(redactedContent) };
  }
  const { text, signature } = asObject(reasoningText);
  const value = asText(signature);
  return {
    type: "thinking",
    text: asText(text),
    ...(value && { signature: { dialect: "converse", value } }),
  };
}

export const toRedacted = (data: string) =>
  ({ dialect: "converse", value: `${REDACTED}${data}` }) as const;

const STOP_REASONS: Record<string, StopReason> = {
  end_turn: "end",
  tool_use: "tool_calls",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  content_filtered: "content_filter",
  guardrail_intervened: "content_filter",
  model_context_window_exceeded: "context_window",
};

export function readStopReason(value: unknown): StopReason {
  const reason = STOP_REASONS[asText(value)];
  if (!reason) throw invalidResponse(`has the stop reason ${quoteName(value)}`);
  return reason;
}

/** The API counts cached tokens apart from the others. */
export function readUsage(value: unknown): Usage | undefined {
  const usage = asObject(value);
  const input = asCount(usage.inputTokens);
  const output_tokens = asCount(usage.outputTokens);
  if (input === undefined || output_tokens === undefined) return undefined;
  const cached_tokens = asCount(usage.cacheReadInputTokens);
  const cache_write_tokens = asCount(usage.cacheWriteInputTokens);
  return defined({
    input_tokens: input + (cached_tokens ?? 0) + (cache_write_tokens ?? 0),
    cached_tokens,
    cache_write_tokens,
    output_tokens,
  });
}
