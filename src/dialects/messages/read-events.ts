/** Reads the stream of a message. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import type { StreamReader } from "../dialect.ts";
import {
  asObject,
  asText,
  invalidResponse,
  parseEvent,
  unknownContent,
} from "../invalid-response.ts";
import type { NeutralEvent, OutputPart } from "../neutral.ts";
import { getMessagesErrorStatus, readMessagesError } from "./errors.ts";
import { readOutputBlock } from "./read-response.ts";
import { readStopReason } from "./stop-reasons.ts";
import { mergeMessagesUsage, readMessagesUsage } from "./usage.ts";

export function createMessagesStreamReader(): StreamReader {
  let isOver = false;
  /** Index of the open block. */
  let open: unknown;
  /** Arguments of a tool call that its start contained: some servers stream none. */
  let input = "";
  let last: JsonObject = {};
  /** Members of the usage: `message_start` has all of them, `message_delta` those that changed. */
  let usage: JsonObject = {};

  function startBlock({ index, content_block }: JsonObject): NeutralEvent[] {
    if (open !== undefined) throw invalidResponse("starts a block before the last one has ended");
    open = index;
    const part = readOutputBlock(content_block);
    const events: NeutralEvent[] = [{ type: "part_start", part: withoutContent(part) }];
    input = part.type === "tool_call" ? part.arguments : "";
    const text = part.type === "tool_call" ? "" : part.text;
    if (text) events.push({ type: "delta", text });
    if (part.type === "thinking" && part.signature) {
      events.push({ type: "signature", signature: part.signature });
    }
    return events;
  }

  function readDelta({ index, delta }: JsonObject): NeutralEvent[] {
    if (index !== open || open === undefined) {
      throw invalidResponse("continues a block that is not open");
    }
    const { type, text, thinking, partial_json, signature } = asObject(delta);
    switch (type) {
      case "text_delta":
        return toDelta(text);
      case "thinking_delta":
        return toDelta(thinking);
      case "input_json_delta":
        if (partial_json) input = "";
        return toDelta(partial_json);
      case "signature_delta": {
        const value = asText(signature);
        return value ? [{ type: "signature", signature: { dialect: "messages", value } }] : [];
      }
      case "citations_delta":
        return [];
      default:
        throw unknownContent(type);
    }
  }

  function finish(): NeutralEvent[] {
    if (isOver) return [];
    isOver = true;
    const { stop_reason, stop_sequence } = last;
    if (open !== undefined || stop_reason === undefined) throw invalidResponse("ended early");
    return [
      defined({
        type: "end" as const,
        stop_reason: readStopReason(stop_reason),
        stop_sequence: asText(stop_sequence) || undefined,
        usage: readMessagesUsage(usage),
      }),
    ];
  }

  function readEvent(event: JsonObject): NeutralEvent[] {
    switch (event.type) {
      case "message_start": {
        const message = asObject(event.message);
        usage = mergeMessagesUsage({}, message.usage);
        const id = asText(message.id) || undefined;
        return [defined({ type: "start" as const, id, usage: readMessagesUsage(message.usage) })];
      }
      case "content_block_start":
        return startBlock(event);
      case "content_block_delta":
        return readDelta(event);
      case "content_block_stop":
        if (open === undefined) throw invalidResponse("ends a block that is not open");
        open = undefined;
        return [...toDelta(input), { type: "part_end" }];
      case "message_delta":
        last = asObject(event.delta);
        usage = mergeMessagesUsage(usage, event.usage);
        return [];
      case "message_stop":
        return finish();
      case "error": {
        isOver = true;
        const status = getMessagesErrorStatus(asText(asObject(event.error).type));
        return [{ type: "error", error: readMessagesError(status, event) }];
      }
      default:
        return [];
    }
  }

  return {
    read: (_name, data) => (isOver ? [] : readEvent(parseEvent(data))),
    end: finish,
  };
}

const toDelta = (text: unknown): NeutralEvent[] => {
  const delta = asText(text);
  return delta ? [{ type: "delta", text: delta }] : [];
};

/** The start of a part has no content; the deltas contain it. */
function withoutContent(part: OutputPart): OutputPart {
  if (part.type === "tool_call") return { ...part, arguments: "" };
  return part.type === "thinking" ? { type: "thinking", text: "" } : { ...part, text: "" };
}
