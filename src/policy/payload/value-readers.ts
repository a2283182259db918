/** How texts are gathered: members a style knows by its table, everything else string by string. */
import { escapePointerStep, parseStrictText } from "../../lib/json/parse-strict.ts";
import { createSegment, type SegmentSource } from "../segment.ts";
import { isHostileOperator } from "../signatures/injections/query-operators.ts";
import { decodeMember } from "./decode-member.ts";
import { isOpaque } from "./is-opaque.ts";
import { isObject, type JsonObject, type Payload } from "./payload.ts";

/** Where a value stands, and who wrote it as far as is known there. */
export interface ValueLocation {
  source: SegmentSource;
  role: string | null;
  pointer: string;
  inner: string | null;
  /** The last name of the pointer. Looking for it there would take as long as who wrote the names wants. */
  name: string;
}

/** Reads one value of a payload into what is known of it. */
export type ValueReader = (out: Payload, value: unknown, place: ValueLocation) => void;
export type MemberReaders = ReadonlyMap<string, ValueReader>;

/** A map, because the names come from outside: `constructor` must not find anything. */
export const memberReaders = (reads: Record<string, ValueReader>): MemberReaders =>
  new Map(Object.entries(reads));

export const ignoreValue: ValueReader = () => {};

/** Reads every member: what the table does not name may be text all the same, and is read by `otherwise` if given. */
export function readMembers(
  out: Payload,
  value: JsonObject,
  place: ValueLocation,
  table: MemberReaders,
  otherwise?: ValueReader,
): void {
  for (const key in value) {
    const member = value[key];
    readMemberName(out, key, member, place);
    const read = table.get(key) ?? otherwise;
    if (read) read(out, member, childLocation(place, key));
    else readMember(out, member, childLocation(place, key), key);
  }
}

/** A value of which nothing is known. That nothing looked at it would be the worst outcome. */
export const readUnknown: ValueReader = (out, value, place) => readMember(out, value, place, "");

/** A name that the format asks for: of a tool, of a speaker. */
export const readName: ValueReader = (out, value, place) => readMember(out, value, place, "id");

/** Every string: where a tool or a program reads the value, ids are content too. */
export const readEvery: ValueReader = (out, value, place) => {
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === "") {
    readScalar(out, value, place);
  } else if (typeof value === "string") {
    readString(out, value, place, "");
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) readEvery(out, value[i], childLocation(place, i));
  } else if (isObject(value)) {
    for (const key in value) {
      const member = value[key];
      readMemberName(out, key, member, place);
      readEvery(out, member, childLocation(place, key));
    }
  }
};

/** What a program wrote under names of its own. A string here may be encoded bytes. */
export const readData: ValueReader = (out, value, place) =>
  typeof value === "string" ? readMember(out, value, place, "data") : readEvery(out, value, place);

/** A string that is text whatever it looks like. */
export const readText: ValueReader = (out, value, place) => {
  if (typeof value !== "string") readUnknown(out, value, place);
  else if (value !== "") out.segments.push(createSegment(value, place.source, place));
};

/**
 * JSON inside a string is read string by string, so that Transform leaves it JSON. Returns what it says;
 * undefined when it is not strictly JSON, and is text like any other.
 */
export function readJsonText(out: Payload, text: string, place: ValueLocation): unknown {
  const parsed = parseStrictText(text);
  if (parsed.ok && !hasProseNames(parsed.value)) {
    readEvery(out, parsed.value, { ...place, inner: "" });
  } else {
    readText(out, text, place);
  }
  return parsed.ok ? parsed.value : undefined;
}

export const readEach =
  (read: ValueReader): ValueReader =>
  (out, value, place) => {
    if (!Array.isArray(value)) return read(out, value, place);
    for (let i = 0; i < value.length; i++) read(out, value[i], childLocation(place, i));
  };

/** The same texts, but somebody else's. */
export const withSource =
  (source: SegmentSource, read: ValueReader): ValueReader =>
  (out, value, place) =>
    read(out, value, { ...place, source });

/** An object by its table; anything else as unknown. */
export const readObject =
  (table: MemberReaders): ValueReader =>
  (out, value, place) => {
    if (isObject(value)) readMembers(out, value, place, table);
    else readUnknown(out, value, place);
  };

/** The same of what a program wrote under names of its own: but for those in the table, ids are content. */
export const readDataObject =
  (table: MemberReaders): ValueReader =>
  (out, value, place) => {
    if (isObject(value)) readMembers(out, value, place, table, readEvery);
    else readEvery(out, value, place);
  };

export function childLocation(place: ValueLocation, key: string | number): ValueLocation {
  const { source, role, pointer, inner } = place;
  const step = typeof key === "number" ? key : escapePointerStep(key);
  const name = typeof key === "number" ? "" : key;
  return inner === null
    ? { source, role, pointer: `${pointer}/${step}`, inner, name }
    : { source, role, pointer, inner: `${inner}/${step}`, name };
}

/** A name that no format would choose is a place to hide a text in, and one that a database obeys is an attack. */
function readMemberName(out: Payload, key: string, member: unknown, place: ValueLocation): void {
  const hostile = key.startsWith("$") && isHostileOperator(key, member, place.name);
  if (ORDINARY_NAME.test(key) && !hostile) return;
  if (out.names.has(key)) return;
  out.names.add(key);
  out.segments.push(
    createSegment(key, place.source, { ...childLocation(place, key), isName: true }),
  );
}

const ORDINARY_NAME = /^[\w.$:/~-]{0,64}$/;

/** Text as it is, or what a string under this name encodes. */
function readString(out: Payload, value: string, place: ValueLocation, key: string): void {
  const decoded = decodeMember(key, value);
  if (decoded === undefined) {
    readText(out, value, place);
    return;
  }
  // Where the pointer leads into JSON inside a string, it names that string.
  const { source, pointer } = place;
  if (decoded.kind === "text") {
    const { text, encoding } = decoded;
    out.segments.push(createSegment(text, source, { ...place, encoding }));
  } else if (decoded.kind === "document") {
    out.documents.push({ filename: null, content_type: null, data: value, url: null, pointer });
  } else if (!SIGNATURE_MEMBERS.has(key)) {
    const reason = key === "encrypted_content" ? "encrypted" : decoded.kind;
    if (out.uninspected.length < MAX_UNINSPECTED) out.uninspected.push({ pointer, reason });
    // A key or a token may look like encoded bytes.
    if (reason === "binary" && value.length <= MAX_TOKEN_CHARACTERS) readText(out, value, place);
  }
}

/** Proofs of a provider for its own texts: they say nothing to a model. */
const SIGNATURE_MEMBERS: ReadonlySet<string> = new Set([
  "signature",
  "thoughtSignature",
  "thought_signature",
]);
const MAX_UNINSPECTED = 1000;
const MAX_TOKEN_CHARACTERS = 4096;

/** Shorter ones say nothing about anybody. */
const MIN_NUMBER = 100_000;

/** More of them nobody reads before deciding, and a table has a hundred thousand. */
const MAX_VALUES = 500;

/**
 * Numbers of a tool, and of a text that is JSON: a program writes a card or an account as one. Elsewhere they
 * are settings and counts, and ids (`isId`) are the format's own.
 */
function readScalar(
  out: Payload,
  value: number | boolean | null | "",
  place: ValueLocation,
  isId = false,
): void {
  const { source, role, pointer, inner } = place;
  const isCall = source === "tool_arguments";
  const isLong = Number.isInteger(value) && Math.abs(Number(value)) >= MIN_NUMBER;
  if (isLong && !isId && (isCall || source === "tool_result" || inner !== null)) {
    out.segments.push(createSegment(String(value), source, { ...place, isNumber: true }));
  } else if (isCall || (!isId && source !== "tool_result" && source !== "tool_definition")) {
    out.values.push({ text: String(value), role, pointer, inner });
    // The latest call is the one to decide about: a conversation repeats those before it.
    if (out.values.length > MAX_VALUES) {
      out.values.shift();
      out.dropped_values++;
    }
  }
}

const NO_MEMBERS = memberReaders({});

/** `key` is the name that the value, or the list around it, stands under. */
function readMember(out: Payload, value: unknown, place: ValueLocation, key: string): void {
  if (typeof value === "string") {
    if (!isOpaque(key, value, place.source)) readString(out, value, place, key);
  } else if (typeof value === "number" || typeof value === "boolean") {
    readScalar(out, value, place, isOpaque(key, String(value), place.source));
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) readMember(out, value[i], childLocation(place, i), key);
  } else if (isObject(value)) {
    readMembers(out, value, place, NO_MEMBERS);
  }
}

/** Names inside JSON are not read on their own: a document that writes prose into them is read whole. */
function hasProseNames(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasProseNames);
  return Object.entries(value).some(
    ([name, member]) => name.length > 64 || /\s/.test(name) || hasProseNames(member),
  );
}
