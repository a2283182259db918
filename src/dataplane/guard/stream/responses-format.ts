/** Stream of `/v1/responses`: output items and their parts, each added, continued and done. */

import { isBlank, isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { escapePointerStep } from "../../../lib/json/parse-strict.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import { buildEnding } from "./responses-ending.ts";
import {
  buildConflictError,
  createParts,
  type EventParts,
  elementAt,
  isContinued,
  type Repetition,
  readIndex,
  type StreamFormat,
  takeText,
} from "./stream-format.ts";

export function createResponsesFormat(): StreamFormat {
  const response: JsonObject = { object: "response", output: [] };
  return {
    hasType: (name) => READERS.has(name) || name.startsWith("response."),
    read(event) {
      const type = typeof event.type === "string" ? event.type : "";
      const parts = createParts();
      if ("output_index" in event) {
        const index = itemIndex(event);
        parts.elements.push(`/output/${index}`);
        checkItemId(response, event.item_id, index);
        if (isObject(event.item) && isCall(event.item)) checkItemId(response, event.item.id, index);
      }
      const read = READERS.get(type);
      if (read) read(parts, event, response);
      else if (type.endsWith(".delta")) readDelta(parts, event, type.slice(0, -".delta".length));
      else if (type.endsWith(".done")) {
        checkToolName(event, response);
        readDone(parts, event, type.slice(0, -".done".length));
      }
      return parts;
    },
    response: () => response,
    wrapper: {},
    buildDelta: (slot, delta) => buildDelta(response, slot, delta),
    buildEnding: (sent) => ({ events: buildEnding(response, sent) }),
  };
}

/** Rejects an event whose id is that of an item at another index: clients read either of them. */
function checkItemId({ output }: JsonObject, id: unknown, index: number): void {
  const items: unknown[] = Array.isArray(output) ? output : [];
  const hasId = (item: unknown) => isObject(item) && item.id === id;
  if (isBlank(id) || hasId(items[index])) return;
  if (items.some(hasId)) throw buildConflictError();
}

type EventReader = (parts: EventParts, event: JsonObject, response: JsonObject) => void;

const itemIndex = (event: JsonObject): number => readIndex(event.output_index, 0);
const itemOf = (response: JsonObject, event: JsonObject): JsonObject =>
  elementAt(response, "output", itemIndex(event));

const readStart: EventReader = (_, event, response) => {
  if (!isObject(event.response)) return;
  const { output } = response;
  Object.assign(response, event.response, { output });
};

const readLast: EventReader = (parts, event, response) => {
  parts.stage = "last";
  parts.repeats.push({ pointer: "/response", slot: "" });
  if (!isObject(event.response)) return;
  const { output } = response;
  const complete = event.response.output;
  const isComplete =
    Array.isArray(complete) && Array.isArray(output) && complete.length >= output.length;
  if (isComplete) {
    for (const [at, item] of output.entries()) checkCall(item, complete[at]);
    parts.calls_at.push("/response/output");
  }
  Object.assign(response, event.response, { output: isComplete ? complete : output });
};

/** Takes the texts that deltas may continue out of a new item or part. They are usually empty. */
function takeTexts(parts: EventParts, holder: JsonObject, { pointer, slot }: Repetition): void {
  for (const member of ["text", "refusal", ...ARGUMENTS]) {
    takeText(parts, holder, member, {
      pointer: `${pointer}/${member}`,
      slot: `${slot}/${member}`,
      is_argument: ARGUMENTS.has(member),
    });
  }
  for (const list of ["content", "summary"]) {
    const inner = holder[list];
    for (const [at, part] of Array.isArray(inner) ? inner.entries() : []) {
      const step = `${list}/${at}`;
      const location = { pointer: `${pointer}/${step}`, slot: `${slot}/${step}` };
      if (isObject(part)) takeTexts(parts, part, location);
    }
  }
}

const addPart =
  (list: "content" | "summary", index: "content_index" | "summary_index"): EventReader =>
  (parts, event, response) => {
    const at = readIndex(event[index], 0);
    const slot = `/output/${itemIndex(event)}/${list}/${at}`;
    parts.opens = slot;
    if (isObject(event.part)) {
      takeTexts(parts, event.part, { pointer: "/part", slot });
      Object.assign(elementAt(itemOf(response, event), list, at), event.part);
    }
  };

const endPart =
  (list: "content" | "summary", index: "content_index" | "summary_index"): EventReader =>
  (parts, event, response) => {
    const at = readIndex(event[index], 0);
    const slot = `/output/${itemIndex(event)}/${list}/${at}`;
    parts.closes.push(slot);
    parts.repeats.push({ pointer: "/part", slot });
    if (isObject(event.part)) {
      Object.assign(elementAt(itemOf(response, event), list, at), event.part);
    }
  };

/** Adds an item, or the members that it has when it is done. */
function mergeItem(stored: JsonObject, item: JsonObject): void {
  checkCall(stored, item);
  Object.assign(stored, item);
}

/** Rejects an item that replaces a call: clients may execute the one before. */
function checkCall(before: unknown, after: unknown): void {
  if (!isObject(before) || !isCall(before)) return;
  const isSame =
    isObject(after) &&
    after.type === before.type &&
    after.name === before.name &&
    // Those of events before the item are compared with its text.
    [...ARGUMENTS].every((name) => isBlank(before[name]) || after[name] === before[name]);
  if (!isSame) throw buildUnreadableError("an event replaces a tool call");
}

const READERS = new Map<string, EventReader>([
  ["response.created", readStart],
  ["response.queued", readStart],
  ["response.in_progress", readStart],
  [
    "response.output_item.added",
    (parts, { item, ...event }, response) => {
      const slot = `/output/${itemIndex(event)}`;
      parts.opens = slot;
      parts.calls_at.push("/item");
      if (!isObject(item)) return;
      parts.is_call = isCall(item);
      takeTexts(parts, item, { pointer: "/item", slot });
      mergeItem(itemOf(response, event), item);
    },
  ],
  [
    "response.output_item.done",
    (parts, { item, ...event }, response) => {
      const slot = `/output/${itemIndex(event)}`;
      parts.closes.push(slot);
      parts.repeats.push({ pointer: "/item", slot });
      parts.calls_at.push("/item");
      if (!isObject(item)) return;
      parts.is_call = isCall(item);
      mergeItem(itemOf(response, event), item);
    },
  ],
  ["response.content_part.added", addPart("content", "content_index")],
  ["response.content_part.done", endPart("content", "content_index")],
  ["response.reasoning_summary_part.added", addPart("summary", "summary_index")],
  ["response.reasoning_summary_part.done", endPart("summary", "summary_index")],
  ["response.completed", readLast],
  ["response.incomplete", readLast],
  ["response.failed", readLast],
  [
    "error",
    (parts, { type: _, ...error }, response) => {
      parts.stage = "error";
      response.error = error;
    },
  ],
]);

/** Items that the client or the provider executes. */
const CALLS: ReadonlySet<string> = new Set([
  "function_call",
  "custom_tool_call",
  "mcp_call",
  "mcp_approval_request",
]);

const isCall = ({ type }: JsonObject): boolean => typeof type === "string" && CALLS.has(type);

/** Locations of the texts in their item. Other texts are members of the item, named after the event. */
const LOCATIONS = new Map<string, (event: JsonObject) => string>([
  ["response.output_text", ({ content_index }) => `content/${readIndex(content_index, 0)}/text`],
  ["response.refusal", ({ content_index }) => `content/${readIndex(content_index, 0)}/refusal`],
  ["response.reasoning_text", ({ content_index }) => `content/${readIndex(content_index, 0)}/text`],
  [
    "response.reasoning_summary_text",
    ({ summary_index }) => `summary/${readIndex(summary_index, 0)}/text`,
  ],
  ["response.function_call_arguments", () => "arguments"],
  ["response.mcp_call_arguments", () => "arguments"],
  ["response.custom_tool_call_input", () => "input"],
  ["response.code_interpreter_call_code", () => "code"],
]);
const ARGUMENTS: ReadonlySet<string> = new Set(["arguments", "input"]);

function locateText(event: JsonObject, name: string): { slot: string; is_argument: boolean } {
  const member = LOCATIONS.get(name)?.(event) ?? escapePointerStep(name);
  const is_argument = ARGUMENTS.has(member);
  const isOfItem = is_argument || "output_index" in event;
  const item = isOfItem ? `/output/${itemIndex(event)}` : "";
  return { slot: `${item}/${member}`, is_argument };
}

function readDelta(parts: EventParts, event: JsonObject, name: string): void {
  const { slot, is_argument } = locateText(event, name);
  if (!isContinued("delta", event.delta)) return;
  takeText(parts, event, "delta", { pointer: "/delta", slot, is_argument });
  // Its tokens are those of the text.
  delete event.logprobs;
  parts.is_delta = true;
  parts.is_call = is_argument;
}

/** Rejects the name of a tool that is not the one of its item. */
function checkToolName(event: JsonObject, response: JsonObject): void {
  if (isBlank(event.name)) return;
  const item = itemOf(response, event);
  const isSame = isCall(item) && item.name === event.name;
  if (!isSame) throw buildUnreadableError("an event replaces a tool call");
}

function readDone(parts: EventParts, event: JsonObject, name: string): void {
  const { slot, is_argument } = locateText(event, name);
  parts.is_call = is_argument;
  // The arguments are evaluated with their item.
  if (!is_argument) parts.closes.push(slot);
  for (const [member, value] of Object.entries(event)) {
    // Only the member of the same name repeats arguments.
    if (!isContinued(member, value) || (is_argument && !slot.endsWith(`/${member}`))) continue;
    parts.repeats.push({ pointer: `/${escapePointerStep(member)}`, slot, is_argument });
  }
}

/** Builds a delta for text that only the start of its item or part contains. */
function buildDelta(response: JsonObject, slot: string, delta: string): JsonObject {
  const [, , item = "", list, at, member] = slot.split("/");
  const output_index = Number(item);
  const { id: item_id, type } = elementAt(response, "output", output_index);
  const where = { item_id, output_index, delta, sequence_number: 0 };
  const index = Number(at);
  if (list === "summary") {
    return { type: "response.reasoning_summary_text.delta", ...where, summary_index: index };
  }
  if (list !== "content") throw buildUnreadableError("a text has no delta");
  const text = type === "reasoning" ? "reasoning_text" : "output_text";
  const name = member === "refusal" ? "refusal" : text;
  return { type: `response.${name}.delta`, ...where, content_index: index };
}
