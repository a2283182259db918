/** Assembles the complete response from the events of a stream. */

import { isBlank, isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { measureJson } from "../../../lib/json/measure-json.ts";
import {
  MAX_VALUES,
  parseUnambiguous,
  unescapePointerStep,
} from "../../../lib/json/parse-strict.ts";
import { createGrowingText, type GrowingText } from "../../../lib/text/growing-text.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import type { StreamMemory } from "./stream-evaluation.ts";
import {
  buildConflictError,
  type EventParts,
  type StreamFormat,
  takeText,
} from "./stream-format.ts";

/** An event without the texts that belong to the response. */
export interface ReadEvent extends EventParts {
  rest: JsonObject;
  /** Strings that repeat the text of a slot. */
  copies: { pointer: string; slot: string; text: string; is_argument: boolean }[];
}

export interface ResponseAssembly {
  /** Adds the data of an event. Adds no text if it throws. */
  add: (data: string) => ReadEvent;
  /** Removes the texts of the last event. */
  remove: (last: EventParts) => void;
  /** Returns the text at a slot so far, as received. */
  textAt: (slot: string) => string;
  /** Returns the JSON text of the response so far. */
  toText: () => string;
  /** Returns the JSON text of one element, with the texts in `slots` only. */
  elementToText: (element: string, slots: readonly string[]) => string;
}

/** Memory of a slot beside its text: each has a stream and an event. */
const SLOT_CHARACTERS = 1024;
const MEASURE_EVERY_CHARACTERS = 1024 * 1024;
const MAX_STRUCTURE_CHARACTERS = 8 * 1024 * 1024;
/** Caps the time of an event: reading one takes about 5 µs for each new name. */
const MAX_MEMBERS = 20_000;
/** Caps the time of an event: each repetition is compared with the location of each text. */
const MAX_COMPARISONS = 100_000;

export function createAssembly(
  format: StreamFormat,
  memory: Pick<StreamMemory, "addText" | "addStructure">,
): ResponseAssembly {
  const texts = new Map<string, GrowingText>();
  const argumentSlots = new Set<string>();
  let unmeasured = 0;
  /** Characters of the response without its texts, when they were last measured. Most events repeat the same members. */
  let structureSize = 0;
  const textAt = (slot: string): string => texts.get(slot)?.read() ?? "";

  function findCopies(rest: JsonObject, { repeats }: EventParts): ReadEvent["copies"] {
    if (repeats.length * texts.size > MAX_COMPARISONS) {
      throw buildUnreadableError("an event repeats too many texts");
    }
    return repeats.flatMap(({ pointer, slot }) =>
      [...texts.keys()].flatMap((each) => {
        if (!isInside(each, slot)) return [];
        const at = pointer + each.slice(slot.length);
        const found = locate(rest, at);
        const value = found?.holder[found.name];
        if (!found || isBlank(value)) return [];
        const is_argument = argumentSlots.has(each);
        if (is_argument && value !== textAt(each)) throw buildConflictError();
        // A repetition may lag behind the text.
        if (typeof value !== "string" || !textAt(each).startsWith(value)) return [];
        found.holder[found.name] = "";
        return [{ pointer: at, slot: each, text: value, is_argument }];
      }),
    );
  }

  function addTexts({ pieces }: EventParts): void {
    for (const { slot, text, is_argument } of pieces) {
      if (is_argument) argumentSlots.add(slot);
      const growing = texts.get(slot) ?? createGrowingText();
      growing.add(text);
      texts.set(slot, growing);
    }
  }

  function remove({ pieces }: EventParts): void {
    for (const { slot, text } of pieces) {
      const before = createGrowingText();
      before.add(textAt(slot).slice(0, textAt(slot).length - text.length));
      texts.set(slot, before);
    }
  }

  /** Checks the response without its texts after every mebibyte of events that may extend it. */
  function measure(characters: number): void {
    unmeasured += characters;
    if (unmeasured < MEASURE_EVERY_CHARACTERS) return;
    unmeasured = 0;
    const { length } = writeStructure();
    if (length <= structureSize) return;
    memory.addStructure(length - structureSize);
    structureSize = length;
  }

  /** Returns the JSON text of the response without its texts. Rejects a response that is too large. */
  function writeStructure(): string {
    const text = JSON.stringify(format.response());
    if (text.length > MAX_STRUCTURE_CHARACTERS) {
      throw buildUnreadableError("the response exceeds 8 MiB");
    }
    checkCounts(text);
    return text;
  }

  return {
    add(data) {
      checkCounts(data);
      const parsed = parseUnambiguous(data);
      if (!parsed.ok) throw buildUnreadableError(`the data of an event is ${parsed.reason}`);
      const rest = parsed.value;
      if (!isObject(rest)) throw buildUnreadableError("the data of an event is not a JSON object");
      if (MAY_NAME_PROTOTYPE.test(data) && namesPrototype(rest)) {
        throw buildUnreadableError("an event has a member __proto__");
      }
      const parts = format.read(rest);
      for (const { pointer, slot, is_argument } of parts.repeats) {
        const found = is_argument && !texts.has(slot) ? locate(rest, pointer) : undefined;
        if (found) takeText(parts, found.holder, found.name, { pointer, slot, is_argument: true });
      }
      if (!parts.is_delta) measure(data.length);
      for (const { slot, text } of parts.pieces) {
        memory.addText(texts.has(slot) ? text.length : text.length + SLOT_CHARACTERS);
      }
      addTexts(parts);
      try {
        return { ...parts, rest, copies: findCopies(rest, parts) };
      } catch (thrown) {
        remove(parts);
        throw thrown;
      }
    },
    remove,
    textAt,
    toText() {
      // Faster than a structured clone of many lists.
      const response: JsonObject = JSON.parse(writeStructure());
      for (const slot of texts.keys()) put(response, slot, textAt(slot));
      return JSON.stringify(response);
    },
    elementToText(element, slots) {
      const [, list = ""] = element.split("/");
      const { holder, name } = locate(format.response(), element) ?? { holder: {}, name: "" };
      const wrapped = { ...format.wrapper, [list]: [structuredClone(holder[name])] };
      for (const slot of slots) {
        put(wrapped, `/${list}/0${slot.slice(element.length)}`, textAt(slot));
      }
      return JSON.stringify(wrapped);
    },
  };
}

/**
 * Rejects JSON with too many values, or members: JSON.parse and each copy take a microsecond for each new name. Members of
 * token lists do not count, because their names are always the same.
 */
function checkCounts(text: string): void {
  if (text.length < MAX_MEMBERS * MIN_MEMBER_CHARACTERS) return;
  const { members, values } = measureJson(text);
  if (values > MAX_VALUES) throw buildUnreadableError(`it has more than ${MAX_VALUES} values`);
  if (members <= MAX_MEMBERS) return;
  const tokenMembers = text.match(TOKEN_MEMBERS)?.length ?? 0;
  if (members - tokenMembers > MAX_MEMBERS) {
    throw buildUnreadableError(`it has more than ${MAX_MEMBERS} members`);
  }
}

const MIN_MEMBER_CHARACTERS = '"":1,'.length;
const TOKEN_MEMBERS = /(?<!\\)"(?:token|logprob|bytes|top_logprobs)"\s*:/g;

const MAY_NAME_PROTOTYPE = /__proto__|\\u/;

/** Merging such a member would change the prototype of every object in the process. No format has it. */
function namesPrototype(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(namesPrototype);
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(namesPrototype);
}

/** Returns whether a pointer is equal to a prefix, or inside of it. */
export const isInside = (pointer: string, prefix: string): boolean =>
  pointer === prefix || pointer.startsWith(`${prefix}/`);

/** Returns whether a pointer is equal to one of the prefixes, or inside of it. */
export const isInAny = (pointer: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => isInside(pointer, prefix));

type Located = { holder: Record<string, unknown>; name: string };

/** Returns the object or list that contains a value, and the name of the value in it. */
export function locate(root: JsonObject, pointer: string): Located | undefined {
  const steps = pointer.split("/").slice(1).map(unescapePointerStep);
  const name = steps.pop();
  if (name === undefined) return undefined;
  let holder: unknown = root;
  for (const step of steps) {
    if (typeof holder !== "object" || holder === null) return undefined;
    holder = Reflect.get(holder, step);
  }
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, name)) {
    return undefined;
  }
  return { holder: holder as Record<string, unknown>, name }; // lists are changed like objects
}

/** Returns the text at a pointer of an evaluated response. */
export function readText(root: Record<string, unknown>, pointer: string): string {
  const found = locate(root, pointer);
  const text = found?.holder[found.name];
  if (typeof text === "string") return text;
  throw buildUnreadableError("a masked text cannot be read");
}

/** Sets the text of a slot, and creates the objects and lists on the way. */
function put(root: JsonObject, pointer: string, text: string): void {
  const steps = pointer.split("/").slice(1).map(unescapePointerStep);
  let holder: Record<string, unknown> = root;
  for (const [at, step] of steps.entries()) {
    if (at === steps.length - 1) {
      const before = Object.hasOwn(holder, step) ? holder[step] : undefined;
      const isConflict = !isBlank(before) && before !== text && !REPEATED_TEXTS.has(step);
      if (isConflict) throw buildConflictError();
      // Half of a surrogate pair cannot be stored.
      holder[step] = text.toWellFormed();
      return;
    }
    const next = Object.hasOwn(holder, step) ? holder[step] : undefined;
    if (typeof next === "object" && next !== null) {
      holder = next as Record<string, unknown>; // lists are changed like objects
    } else if (next === undefined || next === null || next === "") {
      const created: Record<string, unknown> = {};
      holder[step] = /^\d+$/.test(steps[at + 1] ?? "") ? [] : created;
      holder = holder[step] as Record<string, unknown>; // just created
    } else {
      throw buildConflictError();
    }
  }
}

/** Texts whose last event may contain another version, which is evaluated with that event. */
const REPEATED_TEXTS: ReadonlySet<string> = new Set(["text", "refusal", "code"]);
