/** Stream of `/v1/chat/completions`: chunks with a delta for each choice. */

import { isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { escapePointerStep } from "../../../lib/json/parse-strict.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import { type CallPositions, createCallPositions } from "./call-positions.ts";
import { createChoicesFormat } from "./choices-format.ts";
import {
  buildConflictError,
  type EventParts,
  elementAt,
  isContinued,
  readIndex,
  type StreamFormat,
  takeText,
} from "./stream-format.ts";

export function createChatFormat(): StreamFormat {
  /** By the index of the choice. */
  const positions = new Map<number, CallPositions>();
  return createChoicesFormat({
    object: "chat.completion",
    chunk_object: "chat.completion.chunk",
    readChoice(parts, choice, response, position) {
      const index = readIndex(choice.index, position);
      const findPosition = positions.get(index) ?? createCallPositions();
      positions.set(index, findPosition);
      setCallIndexes(choice.delta, findPosition);
      readChoice(parts, choice, response, { index, position });
    },
    buildContent: (steps, text) => ({
      delta: steps.length === 0 ? {} : steps.reduceRight<unknown>(nestValue, text),
    }),
  });
}

function setCallIndexes(delta: unknown, findPosition: CallPositions): void {
  const calls = isObject(delta) && Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
  for (const [position, call] of calls.entries()) {
    if (isObject(call)) call.index = findPosition(readIndex(call.index, position), call);
  }
}

/** Puts a value into a member, or into a list whose items have an index. */
function nestValue(value: unknown, step: string): unknown {
  return /^\d+$/.test(step)
    ? [{ index: Number(step), ...(isObject(value) && value) }]
    : { [step]: value };
}

function readChoice(
  parts: EventParts,
  choice: JsonObject,
  response: JsonObject,
  { index, position }: { index: number; position: number },
): void {
  const element = `/choices/${index}`;
  const { delta, message, logprobs, finish_reason, ...rest } = choice;
  parts.elements.push(element);
  const stored = elementAt(response, "choices", index);
  stored.message ??= { role: "assistant" };
  Object.assign(stored, rest);
  if (isObject(delta)) {
    const from = `/choices/${position}/delta`;
    readDelta(parts, delta, { from, to: `${element}/message` });
    if (isObject(stored.message)) mergeDelta(stored.message, delta);
  }
  // Some providers repeat the message so far in every chunk.
  if (isObject(message)) {
    parts.repeats.push({ pointer: `/choices/${position}/message`, slot: `${element}/message` });
  }
  if (typeof finish_reason !== "string") return;
  stored.finish_reason = finish_reason;
  parts.stage = "end";
}

interface Mapping {
  /** Location in the event. */
  from: string;
  /** Location in the complete response. */
  to: string;
}

function readDelta(parts: EventParts, delta: JsonObject, { from, to }: Mapping): void {
  for (const [name, value] of Object.entries(delta)) {
    const step = escapePointerStep(name);
    const inside = { from: `${from}/${step}`, to: `${to}/${step}` };
    if (name === "tool_calls" && value !== null) {
      readCalls(parts, value, inside);
      parts.calls_at.push(inside.from);
    } else if (name === "function_call" && isObject(value)) {
      readCall(parts, value, inside);
      parts.calls_at.push(inside.from);
    } else if (isContinued(name, value)) {
      takeText(parts, delta, name, { pointer: inside.from, slot: inside.to });
    } else if (name === "content" && Array.isArray(value)) {
      if ("content_parts" in delta) throw buildUnreadableError("an event has two lists of content");
      // Mistral sends both lists and strings as content.
      delta.content_parts = value;
      delete delta.content;
      readNested(parts, value, { from: inside.from, to: `${to}/content_parts` });
    } else readNested(parts, value, inside);
  }
}

function readCalls(parts: EventParts, calls: unknown, { from, to }: Mapping): void {
  if (!Array.isArray(calls)) throw buildUnreadableError("tool_calls is not a list");
  for (const [position, call] of calls.entries()) {
    if (!isObject(call)) continue;
    for (const name of ["function", "custom"]) {
      const inner = call[name];
      const at = `/${call.index}/${name}`;
      if (isObject(inner)) {
        readCall(parts, inner, { from: `${from}/${position}/${name}`, to: `${to}${at}` });
      }
    }
    parts.is_call = true;
  }
}

function readCall(parts: EventParts, call: JsonObject, { from, to }: Mapping): void {
  parts.is_call = true;
  for (const name of ["arguments", "input"]) {
    const location = { pointer: `${from}/${name}`, slot: `${to}/${name}`, is_argument: true };
    takeText(parts, call, name, location);
  }
}

const NESTED_TEXTS: ReadonlySet<string> = new Set([
  ...["text", "thinking", "summary", "transcript"],
  // LiteLLM's `provider_specific_fields`.
  ...["reasoning", "reasoning_content"],
]);

/** Reads reasoning details, transcripts of audio, lists of content and members of LiteLLM. */
function readNested(parts: EventParts, value: unknown, { from, to }: Mapping): void {
  if (Array.isArray(value)) {
    for (const [position, item] of value.entries()) {
      const index = readIndex(isObject(item) ? item.index : undefined, position);
      readNested(parts, item, { from: `${from}/${position}`, to: `${to}/${index}` });
    }
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const step = escapePointerStep(name);
      const location = { pointer: `${from}/${step}`, slot: `${to}/${step}` };
      if (NESTED_TEXTS.has(name)) takeText(parts, value, name, location);
      readNested(parts, member, { from: location.pointer, to: location.slot });
    }
  }
}

/** Merges a delta without its texts: lists by their indexes, other values by the latest. Clients read names differently. */
function mergeDelta(target: JsonObject, delta: JsonObject): void {
  for (const [name, value] of Object.entries(delta)) {
    if (value === null || value === "") continue;
    const known = target[name];
    const isConflict =
      name === "name"
        ? known !== undefined && known !== value
        : isContainer(known) && !isSameKind(known, value);
    if (isConflict) throw buildConflictError();
    if (Array.isArray(value)) mergeList(target, name, value);
    else if (isObject(value) && isObject(known)) mergeDelta(known, value);
    else target[name] = value;
  }
}

const isContainer = (value: unknown): boolean => typeof value === "object" && value !== null;
const isSameKind = (one: unknown, other: unknown): boolean =>
  isContainer(one) === isContainer(other) && Array.isArray(one) === Array.isArray(other);

function mergeList(target: JsonObject, name: string, items: readonly unknown[]): void {
  for (const [position, item] of items.entries()) {
    if (!isObject(item)) continue;
    mergeDelta(elementAt(target, name, readIndex(item.index, position)), item);
  }
}
