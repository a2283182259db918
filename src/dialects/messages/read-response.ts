/** Reads a message. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import { asObject, asText, invalidResponse, unknownContent } from "../invalid-response.ts";
import type { NeutralResponse, OutputPart } from "../neutral.ts";
import { REDACTED } from "./redacted.ts";
import { readStopReason } from "./stop-reasons.ts";
import { readMessagesUsage } from "./usage.ts";

export function readMessagesResponse(body: JsonObject): NeutralResponse {
  if (!Array.isArray(body.content)) throw invalidResponse("has no content");
  return defined({
    id: asText(body.id) || undefined,
    parts: body.content.map(readOutputBlock),
    stop_reason: readStopReason(body.stop_reason),
    stop_sequence: asText(body.stop_sequence) || undefined,
    usage: readMessagesUsage(body.usage),
  });
}

/** Reads a block of a message, or the start of one in a stream. */
export function readOutputBlock(value: unknown): OutputPart {
  const block = asObject(value);
  switch (block.type) {
    case "text":
      return { type: "text", text: asText(block.text) };
    case "thinking": {
      const value = asText(block.signature);
      return {
        type: "thinking",
        text: asText(block.thinking),
        ...(value && { signature: { dialect: "messages", value } }),
      };
    }
    case "redacted_thinking": {
      const signature = { dialect: "messages", value: `${REDACTED}${asText(block.data)}` } as const;
      return { type: "thinking", text: "", signature };
    }
    case "tool_use":
      return {
        type: "tool_call",
        id: asText(block.id),
        name: asText(block.name),
        arguments: JSON.stringify(block.input ?? {}),
      };
    default:
      throw unknownContent(block.type);
  }
}
