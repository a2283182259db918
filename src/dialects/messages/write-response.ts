/** Writes a message. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { packCallId, packSignature } from "../carry-signature.ts";
import type { ReplyContext } from "../dialect.ts";
import { invalidResponse } from "../invalid-response.ts";
import type { NeutralResponse, OutputPart } from "../neutral.ts";
import { parseArguments } from "../parse-arguments.ts";
import { writeStopReason } from "./stop-reasons.ts";
import { writeMessagesUsage } from "./usage.ts";

export function writeMessagesResponse(response: NeutralResponse, reply: ReplyContext): JsonObject {
  return {
    id: response.id ?? `msg_${reply.id}`,
    type: "message",
    role: "assistant",
    model: reply.model,
    content: response.parts.map(writeOutputPart),
    stop_reason: writeStopReason(response.stop_reason),
    stop_sequence: response.stop_sequence ?? null,
    usage: writeMessagesUsage(response.usage),
  };
}

function writeOutputPart(part: OutputPart): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "thinking":
      return {
        type: "thinking",
        thinking: part.text,
        signature: part.signature ? packSignature(part.signature, "messages") : "",
      };
    case "tool_call": {
      const input = parseArguments(part.arguments);
      if (!input) throw invalidResponse("has a tool call whose arguments are not a JSON object");
      return { type: "tool_use", id: packCallId(part.id, part.signature), name: part.name, input };
    }
  }
}
