/** Writes a chat completion. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { packCallId, packSignature } from "../carry-signature.ts";
import type { ReplyContext } from "../dialect.ts";
import type { NeutralResponse, OutputPart, ThinkingPart } from "../neutral.ts";
import { writeFinishReason } from "./stop-reasons.ts";
import { writeChatUsage } from "./usage.ts";

export function writeChatResponse(response: NeutralResponse, reply: ReplyContext): JsonObject {
  const { parts, stop_reason } = response;
  const refusal = joinTexts(parts, true);
  return {
    id: response.id ?? `chatcmpl-${reply.id}`,
    object: "chat.completion",
    created: reply.created,
    model: reply.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: joinTexts(parts, false),
          refusal,
          ...writeReasoning(parts),
          ...writeToolCalls(parts),
        },
        logprobs: null,
        finish_reason: writeFinishReason(stop_reason, refusal !== null),
      },
    ],
    ...(response.usage && { usage: writeChatUsage(response.usage) }),
  };
}

function joinTexts(parts: OutputPart[], refusal: boolean): string | null {
  const texts = parts.flatMap((part) =>
    part.type === "text" && (part.is_refusal ?? false) === refusal ? [part.text] : [],
  );
  return texts.length > 0 ? texts.join("") : null;
}

/** Writes the text for clients that show it, and the signatures for clients that send them back. */
function writeReasoning(parts: OutputPart[]): JsonObject {
  const thinking = parts.filter((part) => part.type === "thinking");
  if (thinking.length === 0) return {};
  const details = thinking.flatMap((part, index) => writeReasoningDetail(part, index));
  return {
    reasoning_content: thinking.map(({ text }) => text).join(""),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** In the format of OpenRouter. */
export const writeReasoningDetail = (
  { text, signature }: ThinkingPart,
  index: number,
): JsonObject[] =>
  signature
    ? [{ type: "reasoning.text", text, signature: packSignature(signature, "chat"), index }]
    : [];

function writeToolCalls(parts: OutputPart[]): JsonObject {
  const tool_calls = parts.flatMap((part) =>
    part.type === "tool_call"
      ? [
          {
            id: packCallId(part.id, part.signature),
            type: "function",
            function: { name: part.name, arguments: part.arguments || "{}" },
          },
        ]
      : [],
  );
  return tool_calls.length > 0 ? { tool_calls } : {};
}
