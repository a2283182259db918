/** Types of a stream's format: how its events build a response, and how a blocked stream ends. */

import { isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { isIdentifier, isOpaque } from "../../../policy/payload/is-opaque.ts";
import { buildUnreadableError } from "../guard-errors.ts";

/** Reads the events of one stream. */
export interface StreamFormat {
  /** Returns whether an event of this name has a type of the same name. Undefined: events have no names. */
  hasType?: (name: string) => boolean;
  /** True if the calls of all events are part of the response. */
  keepsCalls?: true;
  /** Takes the texts out of an event, and adds the rest of it to the response. */
  read: (event: JsonObject) => EventParts;
  /** Returns the response so far in the format of a complete one, without the texts that were taken out. */
  response: () => JsonObject;
  /** Members beside the list of elements, when one element is evaluated on its own. */
  wrapper: JsonObject;
  /** Builds an event that continues the text at `slot`, a pointer in the response. */
  buildDelta: (slot: string, text: string) => JsonObject;
  /** Returns the events that end a blocked stream. */
  buildEnding: (sent: SentState) => { events: JsonObject[]; terminator?: string };
}

/** State of the client: the events and texts that it has received. */
export interface SentState {
  /** False if no event was sent. */
  is_started: boolean;
  /** Pointers of elements and parts whose first event was sent, but not the last one. */
  open: readonly string[];
  /** Masked texts, by their pointers in the response. */
  texts: ReadonlyMap<string, string>;
}

/** Text of an event that belongs to a slot of the response. The event has an empty string instead. */
export interface TextPiece {
  /** Location in the event. */
  pointer: string;
  /** Location in the complete response. */
  slot: string;
  text: string;
  /** Arguments of a tool call are sent only when they are complete. */
  is_argument: boolean;
}

/** Part of an event that repeats texts of the response, such as a finished item. */
export interface Repetition {
  /** Location in the event. */
  pointer: string;
  /** Location in the complete response. */
  slot: string;
  /** True for arguments, which are those of the call if no event before has any. */
  is_argument?: boolean;
}

export interface EventParts {
  pieces: TextPiece[];
  repeats: Repetition[];
  /** Elements of the response that the event belongs to: choices, output items or content blocks. */
  elements: string[];
  /** The element or part that starts with this event. */
  opens?: string;
  /** The elements, parts and texts that end with this event; "" for all. */
  closes: string[];
  /** True for a part of a tool call: its element is sent only when it is complete. */
  is_call: boolean;
  /** Locations in the event of calls that are evaluated with their element. */
  calls_at: string[];
  /** True if the event contains nothing except its texts. */
  is_delta: boolean;
  /**
   * `end`: completes an element, and is sent when the whole response is evaluated. `last`: completes the response.
   * `error`: an error of the upstream.
   */
  stage: "body" | "end" | "last" | "error";
}

export const createParts = (): EventParts => ({
  pieces: [],
  repeats: [],
  elements: [],
  closes: [],
  is_call: false,
  calls_at: [],
  is_delta: false,
  stage: "body",
});

/** Builds the error for events that clients would combine in different ways. */
export const buildConflictError = () => buildUnreadableError("its events do not fit together");

/** Moves a string from its event to a piece. Ignores other values and empty strings. */
export function takeText(
  { pieces }: EventParts,
  holder: JsonObject,
  member: string,
  location: { pointer: string; slot: string; is_argument?: boolean },
): void {
  const text = holder[member];
  if (typeof text !== "string" || text === "") return;
  holder[member] = "";
  pieces.push({ is_argument: false, ...location, text });
}

/** Returns true for text, false for ids and keywords of the format. */
export const isContinued = (member: string, value: unknown): boolean =>
  typeof value === "string" && value !== "" && !isIdentifier(member, value, "assistant");

/** Returns numbers, ids and keywords of a value, and drops text: an ending is not evaluated. */
export function dropText(value: unknown, member = ""): unknown {
  if (typeof value === "string") return isOpaque(member, value, "assistant") ? value : undefined;
  if (!isObject(value)) return Array.isArray(value) ? [] : value;
  const members = Object.entries(value).map(([name, each]) => [name, dropText(each, name)]);
  return Object.fromEntries(members);
}

/** Returns an id, number or keyword, without objects: an ending may repeat it for thousands of choices or parts. */
export const dropTextAndObject = (value: unknown, member: string): unknown =>
  isObject(value) ? undefined : dropText(value, member);

/** Caps the length of lists: an upstream could otherwise allocate memory with one number. */
const MAX_INDEX = 4096;

/** Returns an index of the format, or `otherwise` if it is missing. */
export function readIndex(value: unknown, otherwise: number): number {
  const index = value ?? otherwise;
  if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index <= MAX_INDEX) {
    return index;
  }
  throw buildUnreadableError(`an event has an index that is not between 0 and ${MAX_INDEX}`);
}

/** Returns the object at an index, and creates it and the list if they are missing. */
export function elementAt(holder: JsonObject, member: string, index: number): JsonObject {
  const existing = holder[member];
  const list: unknown[] = Array.isArray(existing) ? existing : [];
  holder[member] = list;
  const element = list[index];
  if (isObject(element)) return element;
  const created = {};
  for (let at = list.length; at < index; at++) list[at] = null;
  list[index] = created;
  return created;
}
