/** Stream of `/v1/messages`: content blocks that start, continue and stop. */

import { isBlank, isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { escapePointerStep, unescapePointerStep } from "../../../lib/json/parse-strict.ts";
import { SEALED_MEMBERS } from "../../../policy/payload/decode-member.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import {
  buildConflictError,
  createParts,
  dropText,
  type EventParts,
  elementAt,
  isContinued,
  readIndex,
  type StreamFormat,
  takeText,
} from "./stream-format.ts";

export function createMessagesFormat(): StreamFormat {
  const message: JsonObject = { type: "message", role: "assistant", content: [] };
  let isStarted = false;
  return {
    hasType: (name) => READERS.has(name),
    read(event) {
      if (event.type === "message_start") {
        if (isStarted) throw buildUnreadableError("it starts twice");
        isStarted = true;
      }
      const read = typeof event.type === "string" ? READERS.get(event.type) : undefined;
      const parts = createParts();
      read?.(parts, event, message);
      return parts;
    },
    response: () => message,
    wrapper: { role: "assistant" },
    buildDelta(slot, text) {
      const [, , index, name = ""] = slot.split("/").map(unescapePointerStep);
      const delta = { type: `${name}_delta`, [name]: text };
      return { type: "content_block_delta", index: Number(index), delta };
    },
    buildEnding: ({ open, is_started }) => ({
      events: [
        ...(is_started ? [] : [buildStart(message)]),
        ...open.map((block) => ({
          type: "content_block_stop",
          index: Number(block.slice("/content/".length)),
        })),
        {
          type: "message_delta",
          delta: { stop_reason: "refusal", stop_sequence: null },
          usage: { output_tokens: readTokens(message, "output_tokens") },
        },
        { type: "message_stop" },
      ],
    }),
  };
}

type EventReader = (parts: EventParts, event: JsonObject, message: JsonObject) => void;

const READERS = new Map<string, EventReader>([
  [
    "message_start",
    (_, event, message) => {
      if (!isObject(event.message)) return;
      const { content } = event.message;
      // Deltas would continue a block that is in it.
      if (Array.isArray(content) && content.length > 0) throw buildConflictError();
      Object.assign(message, event.message, { content: [] });
    },
  ],
  ["content_block_start", startBlock],
  ["content_block_delta", continueBlock],
  [
    "content_block_stop",
    (parts, event) => {
      parts.closes.push(addElement(parts, event));
    },
  ],
  [
    "message_delta",
    (parts, event, message) => {
      parts.stage = "end";
      parts.closes.push("");
      const { content } = message;
      if (isObject(event.delta)) Object.assign(message, event.delta, { content });
      if (!isObject(event.usage)) return;
      message.usage = Object.assign(isObject(message.usage) ? message.usage : {}, event.usage);
    },
  ],
  [
    "message_stop",
    (parts) => {
      parts.stage = "last";
    },
  ],
  [
    "error",
    (parts, event, message) => {
      parts.stage = "error";
      message.error = event.error;
    },
  ],
]);

function addElement(parts: EventParts, event: JsonObject): string {
  const element = `/content/${readIndex(event.index, 0)}`;
  parts.elements.push(element);
  return element;
}

function startBlock(parts: EventParts, event: JsonObject, message: JsonObject): void {
  const element = addElement(parts, event);
  parts.opens = element;
  parts.calls_at.push("/content_block");
  const { content_block: block } = event;
  if (!isObject(block)) return;
  parts.is_call = typeof block.type === "string" && block.type.endsWith("tool_use");
  for (const name of ["text", "thinking"]) {
    takeText(parts, block, name, {
      pointer: `/content_block/${name}`,
      slot: `${element}/${name}`,
    });
  }
  const index = readIndex(event.index, 0);
  // Clients append a block to those before it, and find the block of a delta by its index.
  if (index !== countBlocks(message)) throw buildConflictError();
  Object.assign(elementAt(message, "content", index), block);
}

const countBlocks = ({ content }: JsonObject): number =>
  Array.isArray(content) ? content.length : 0;

const DELTA_TYPES: ReadonlyMap<string, string> = new Map([
  ["text", "text_delta"],
  ["thinking", "thinking_delta"],
  ["partial_json", "input_json_delta"],
]);

function continueBlock(parts: EventParts, event: JsonObject, message: JsonObject): void {
  const element = addElement(parts, event);
  const { delta } = event;
  if (!isObject(delta)) return;
  const index = readIndex(event.index, 0);
  if (index >= countBlocks(message)) throw buildConflictError();
  const block = elementAt(message, "content", index);
  parts.is_delta = true;
  for (const [name, value] of Object.entries(delta)) {
    const pointer = `/delta/${escapePointerStep(name)}`;
    const type = DELTA_TYPES.get(name) ?? delta.type;
    // Clients skip the text of a delta of another type.
    if (type !== delta.type && !isBlank(value)) throw buildConflictError();
    if (name === "partial_json") {
      takeText(parts, delta, name, { pointer, slot: `${element}/input`, is_argument: true });
      parts.is_call = true;
    } else if (SEALED_MEMBERS.includes(name)) {
      block[name] = value;
      parts.is_delta = false;
    } else if (isContinued(name, value)) {
      takeText(parts, delta, name, { pointer, slot: `${element}/${escapePointerStep(name)}` });
    } else if (name === "citation") {
      const citations: unknown[] = Array.isArray(block.citations) ? block.citations : [];
      citations.push(value);
      block.citations = citations;
      parts.is_delta = false;
    } else if (isObject(value) || Array.isArray(value)) {
      if (name in block) throw buildConflictError();
      block[name] = value;
      parts.is_delta = false;
    }
  }
}

function buildStart(message: JsonObject): JsonObject {
  const started = {
    id: dropText(message.id, "id"),
    type: "message",
    role: "assistant",
    model: dropText(message.model, "model"),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: readTokens(message, "input_tokens"),
      output_tokens: readTokens(message, "output_tokens"),
    },
  };
  return { type: "message_start", message: started };
}

function readTokens({ usage }: JsonObject, name: "input_tokens" | "output_tokens"): number {
  const tokens = isObject(usage) ? usage[name] : 0;
  return typeof tokens === "number" ? tokens : 0;
}
