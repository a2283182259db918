/** How texts are gathered: members a style knows by its table, everything else string by string. */
import { escapePointerStep, parseStrictText } from "../../lib/json/parse-strict.ts";
import { isHostileOperator } from "../injections/query-operators.ts";
import { type Source, segment } from "../segment.ts";
import { decodeMember } from "./encoded.ts";
import { isOpaque } from "./opaque.ts";
import { isObject, type JsonObject, type Payload } from "./payload.ts";

/** Where a value stands, and who wrote it as far as is known there. */
export interface Place {
  source: Source;
  role: string | null;
  pointer: string;
  inner: string | null;
  /** The last name of the pointer. Looking for it there would take as long as who wrote the names wants. */
  name: string;
}

/** Reads one value of a payload into what is known of it. */
export type Read = (out: Payload, value: unknown, place: Place) => void;
export type Members = ReadonlyMap<string, Read>;

/** A map, because the names come from outside: `constructor` must not find anything. */
export const members = (reads: Record<string, Read>): Members => new Map(Object.entries(reads));

export const nothing: Read = () => {};

/** Reads every member: what the table does not name may be text all the same, and is read by `otherwise` if given. */
export function readMembers(
  out: Payload,
  value: JsonObject,
  place: Place,
  table: Members,
  otherwise?: Read,
): void {
  for (const key in value) {
    const member = value[key];
    readNameOf(out, key, member, place);
    const read = table.get(key) ?? otherwise;
    if (read) read(out, member, under(place, key));
    else readNamed(out, member, under(place, key), key);
  }
}

/** A value of which nothing is known. That nothing looked at it would be the worst outcome. */
export const readUnknown: Read = (out, value, place) => readNamed(out, value, place, "");

/** A name that the format asks for: of a tool, of a speaker. */
export const readName: Read = (out, value, place) => readNamed(out, value, place, "id");

/** Every string: where a tool or a program reads the value, ids are content too. */
export const readEvery: Read = (out, value, place) => {
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === "") {
    readValue(out, value, place);
  } else if (typeof value === "string") {
    readString(out, value, place, "");
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) readEvery(out, value[i], under(place, i));
  } else if (isObject(value)) {
    for (const key in value) {
      const member = value[key];
      readNameOf(out, key, member, place);
      readEvery(out, member, under(place, key));
    }
  }
};

/** What a program wrote under names of its own. A string here may be encoded bytes. */
export const readData: Read = (out, value, place) =>
  typeof value === "string" ? readNamed(out, value, place, "data") : readEvery(out, value, place);

/** A string that is text whatever it looks like. */
export const readText: Read = (out, value, place) => {
  if (typeof value !== "string") readUnknown(out, value, place);
  else if (value !== "") out.segments.push(segment(value, place.source, place));
};

/**
 * JSON inside a string is read string by string, so that Transform leaves it JSON. Returns what it says;
 * undefined when it is not strictly JSON, and is text like any other.
 */
export function readJsonText(out: Payload, text: string, place: Place): unknown {
  const parsed = parseStrictText(text);
  if (parsed.ok && !hidesProse(parsed.value)) {
    readEvery(out, parsed.value, { ...place, inner: "" });
  } else {
    readText(out, text, place);
  }
  return parsed.ok ? parsed.value : undefined;
}

export const eachWith =
  (read: Read): Read =>
  (out, value, place) => {
    if (!Array.isArray(value)) return read(out, value, place);
    for (let i = 0; i < value.length; i++) read(out, value[i], under(place, i));
  };

/** The same texts, but somebody else's. */
export const from =
  (source: Source, read: Read): Read =>
  (out, value, place) =>
    read(out, value, { ...place, source });

/** An object by its table; anything else as unknown. */
export const byTable =
  (table: Members): Read =>
  (out, value, place) => {
    if (isObject(value)) readMembers(out, value, place, table);
    else readUnknown(out, value, place);
  };

/** The same of what a program wrote under names of its own: but for those in the table, ids are content. */
export const byOwnNames =
  (table: Members): Read =>
  (out, value, place) => {
    if (isObject(value)) readMembers(out, value, place, table, readEvery);
    else readEvery(out, value, place);
  };

export function under(place: Place, key: string | number): Place {
  const { source, role, pointer, inner } = place;
  const step = typeof key === "number" ? key : escapePointerStep(key);
  const name = typeof key === "number" ? "" : key;
  return inner === null
    ? { source, role, pointer: `${pointer}/${step}`, inner, name }
    : { source, role, pointer, inner: `${inner}/${step}`, name };
}

/** A name that no format would choose is a place to hide a text in, and one that a database obeys is an attack. */
function readNameOf(out: Payload, key: string, member: unknown, place: Place): void {
  const hostile = key.startsWith("$") && isHostileOperator(key, member, place.name);
  if (ORDINARY_NAME.test(key) && !hostile) return;
  if (out.names.has(key)) return;
  out.names.add(key);
  out.segments.push(segment(key, place.source, { ...under(place, key), isName: true }));
}

const ORDINARY_NAME = /^[\w.$:/~-]{0,64}$/;

/** Text as it is, or what a string under this name encodes. */
function readString(out: Payload, value: string, place: Place, key: string): void {
  const decoded = decodeMember(key, value);
  if (decoded === undefined) {
    readText(out, value, place);
    return;
  }
  // Where the pointer leads into JSON inside a string, it names that string.
  const { source, pointer } = place;
  if (decoded.kind === "text") {
    const { text, encoding } = decoded;
    out.segments.push(segment(text, source, { ...place, encoding }));
  } else if (decoded.kind === "document") {
    out.documents.push({ filename: null, content_type: null, data: value, url: null, pointer });
  } else if (!SIGNATURES.has(key)) {
    const reason = key === "encrypted_content" ? "encrypted" : decoded.kind;
    if (out.uninspected.length < MAX_UNINSPECTED) out.uninspected.push({ pointer, reason });
    // A key or a token may look like encoded bytes.
    if (reason === "binary" && value.length <= MAX_TOKEN) readText(out, value, place);
  }
}

/** Proofs of a provider for its own texts: they say nothing to a model. */
const SIGNATURES: ReadonlySet<string> = new Set([
  "signature",
  "thoughtSignature",
  "thought_signature",
]);
const MAX_UNINSPECTED = 1000;
const MAX_TOKEN = 4096;

/** Shorter ones say nothing about anybody. */
const LEAST_NUMBER = 100_000;

/** More of them nobody reads before deciding, and a table has a hundred thousand. */
const MAX_VALUES = 500;

/**
 * Numbers of a tool, and of a text that is JSON: a program writes a card or an account as one. Elsewhere they
 * are settings and counts, and ids (`isId`) are the format's own.
 */
function readValue(
  out: Payload,
  value: number | boolean | null | "",
  place: Place,
  isId = false,
): void {
  const { source, role, pointer, inner } = place;
  const isCall = source === "tool_arguments";
  const isLong = Number.isInteger(value) && Math.abs(Number(value)) >= LEAST_NUMBER;
  if (isLong && !isId && (isCall || source === "tool_result" || inner !== null)) {
    out.segments.push(segment(String(value), source, { ...place, isNumber: true }));
  } else if (isCall || (!isId && source !== "tool_result" && source !== "tool_definition")) {
    out.values.push({ text: String(value), role, pointer, inner });
    // The latest call is the one to decide about: a conversation repeats those before it.
    if (out.values.length > MAX_VALUES) {
      out.values.shift();
      out.dropped_values++;
    }
  }
}

const NO_MEMBERS = members({});

/** `key` is the name that the value, or the list around it, stands under. */
function readNamed(out: Payload, value: unknown, place: Place, key: string): void {
  if (typeof value === "string") {
    if (!isOpaque(key, value, place.source)) readString(out, value, place, key);
  } else if (typeof value === "number" || typeof value === "boolean") {
    readValue(out, value, place, isOpaque(key, String(value), place.source));
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) readNamed(out, value[i], under(place, i), key);
  } else if (isObject(value)) {
    readMembers(out, value, place, NO_MEMBERS);
  }
}

/** Names inside JSON are not read on their own: a document that writes prose into them is read whole. */
function hidesProse(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hidesProse);
  return Object.entries(value).some(
    ([name, member]) => name.length > 64 || /\s/.test(name) || hidesProse(member),
  );
}
