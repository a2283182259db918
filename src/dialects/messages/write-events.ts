/** Writes the stream of a message. */
import { formatEvent } from "../../lib/http/split-events.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import { packCallId, packSignature } from "../carry-signature.ts";
import type { ReplyContext, StreamWriter } from "../dialect.ts";
import type { NeutralEvent, OutputPart } from "../neutral.ts";
import { writeMessagesError } from "./errors.ts";
import { writeStopReason } from "./stop-reasons.ts";
import { writeMessagesUsage } from "./usage.ts";

export function createMessagesStreamWriter(reply: ReplyContext): StreamWriter {
  let index = -1;
  let open: OutputPart["type"] = "text";

  const writeDelta = (delta: JsonObject): string =>
    formatEvent({ type: "content_block_delta", index, delta });

  function startPart(part: OutputPart): string {
    index += 1;
    open = part.type;
    return formatEvent({ type: "content_block_start", index, content_block: writeStart(part) });
  }

  function writeText(text: string): string {
    if (open === "tool_call") return writeDelta({ type: "input_json_delta", partial_json: text });
    if (open === "thinking") return writeDelta({ type: "thinking_delta", thinking: text });
    return writeDelta({ type: "text_delta", text });
  }

  return {
    write(event: NeutralEvent): string {
      switch (event.type) {
        case "start":
          return formatEvent({
            type: "message_start",
            message: {
              id: event.id ?? `msg_${reply.id}`,
              type: "message",
              role: "assistant",
              model: reply.model,
              content: [],
              stop_reason: null,
              stop_sequence: null,
              usage: writeMessagesUsage(event.usage),
            },
          });
        case "part_start":
          return startPart(event.part);
        case "delta":
          return writeText(event.text);
        case "signature":
          // Only thinking has a place for it; a tool call has it in its id.
          return open === "thinking"
            ? writeDelta({
                type: "signature_delta",
                signature: packSignature(event.signature, "messages"),
              })
            : "";
        case "part_end":
          return formatEvent({ type: "content_block_stop", index });
        case "end": {
          const stop_reason = writeStopReason(event.stop_reason);
          const delta = { stop_reason, stop_sequence: event.stop_sequence ?? null };
          const usage = writeMessagesUsage(event.usage);
          const last = formatEvent({ type: "message_delta", delta, usage });
          return `${last}${formatEvent({ type: "message_stop" })}`;
        }
        case "error":
          return formatEvent(writeMessagesError(event.error));
      }
    },
  };
}

function writeStart(part: OutputPart): JsonObject {
  if (part.type === "text") return { type: "text", text: "" };
  if (part.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { type: "tool_use", id: packCallId(part.id, part.signature), name: part.name, input: {} };
}
