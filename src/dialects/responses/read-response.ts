/** Reads a response object in the responses format. */
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
import type {
  NeutralResponse,
  OutputPart,
  StopReason,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  Usage,
} from "../neutral.ts";

export function readResponsesResponse(body: JsonObject): NeutralResponse {
  if (body.status === "failed" || body.status === "cancelled") {
    const { code } = asObject(body.error);
    throw invalidResponse(
      `has the status ${body.status}: ${code ? quoteName(code) : "no error code"}`,
    );
  }
  const parts = asList(body.output).flatMap((item) => readItem(asObject(item)));
  return defined({
    id: asText(body.id) || undefined,
    parts,
    stop_reason: readStopReason(body, parts),
    usage: readUsage(body.usage),
  });
}

export function readItem(item: JsonObject): OutputPart[] {
  switch (item.type) {
    case "message":
      return asList(item.content).map((part) => readContentPart(asObject(part)));
    case "function_call":
      return [readToolCall(item)];
    case "reasoning":
      return [readThinking(item)];
    default:
      throw unknownContent(item.type);
  }
}

export function readContentPart(part: JsonObject): TextPart {
  if (part.type === "output_text") return { type: "text", text: asText(part.text) };
  if (part.type !== "refusal") throw unknownContent(part.type);
  return { type: "text", text: asText(part.refusal), is_refusal: true };
}

export function readToolCall(item: JsonObject): ToolCallPart {
  const id = asText(item.call_id) || asText(item.id);
  const name = asText(item.name);
  if (!id || !name) throw invalidResponse("has a function call without an id or a name");
  return { type: "tool_call", id, name, arguments: asText(item.arguments) };
}

/** A summary has several parts; open models send the reasoning itself. */
function readThinking(item: JsonObject): ThinkingPart {
  const summary = asList(item.summary);
  const texts = summary.length > 0 ? summary : asList(item.content);
  const text = texts.map((part) => asText(asObject(part).text)).join("\n\n");
  const value = asText(item.encrypted_content);
  return { type: "thinking", text, ...(value && { signature: { dialect: "responses", value } }) };
}

export function readStopReason(response: JsonObject, parts: readonly OutputPart[]): StopReason {
  if (response.status === "incomplete") {
    const { reason } = asObject(response.incomplete_details);
    return reason === "content_filter" ? "content_filter" : "max_tokens";
  }
  if (parts.some(({ type }) => type === "tool_call")) return "tool_calls";
  return parts.some((part) => part.type === "text" && part.is_refusal) ? "refusal" : "end";
}

export function readUsage(value: unknown): Usage | undefined {
  const usage = asObject(value);
  const input_tokens = asCount(usage.input_tokens);
  const output_tokens = asCount(usage.output_tokens);
  if (input_tokens === undefined || output_tokens === undefined) return undefined;
  const input = asObject(usage.input_tokens_details);
  return defined({
    input_tokens,
    cached_tokens: asCount(input.cached_tokens),
    cache_write_tokens: asCount(input.cache_write_tokens),
    output_tokens,
    reasoning_tokens: asCount(asObject(usage.output_tokens_details).reasoning_tokens),
  });
}
