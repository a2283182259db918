/** Does every JSON parser read these bytes alike, and what do they say? */
import { isUtf8 } from "node:buffer";
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  MAX_DEPTH,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  skipValue,
} from "./skip-value.ts";
import {
  CLOSE_BRACKET,
  eachItem,
  eachMember,
  findStringEnd,
  findValueEnd,
  skipBlank,
} from "./source-text.ts";

export type StrictParse =
  | { ok: true; value: unknown; text: string }
  /** Ends the sentence "The body is …". Holds names of members at most, no value. */
  | { ok: false; reason: string };

/** An empty object takes three bytes of text and sixty of memory. */
export const MAX_VALUES = 1_000_000;

/**
 * Strict JSON in UTF-8 without a byte order mark, not too deep and not too full, without what parsers
 * disagree on: names said twice, where one takes the first and another the last, and halves of
 * surrogate pairs, which one keeps and another replaces.
 */
export function parseStrict(bytes: Uint8Array, maxValues = MAX_VALUES): StrictParse {
  if (!isUtf8(bytes)) return reject("not valid UTF-8");
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return reject("not plain JSON: it starts with a byte order mark");
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const parsed = parseStrictText(text, maxValues);
  return parsed.ok || parsed.reason !== NOT_JSON ? parsed : reject(locateSyntaxError(bytes));
}

/** The same of a text that is in memory already, such as JSON inside a string. */
export function parseStrictText(text: string, maxValues = MAX_VALUES): StrictParse {
  const outline = countTokens(text);
  if (outline.deep) return reject(`nested deeper than ${MAX_DEPTH} levels`);
  if (outline.values > maxValues) return reject(`made of more than ${maxValues} values`);

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return reject(NOT_JSON);
  }

  // JSON.parse keeps one member of each name, so a name said twice leaves fewer members than colons.
  if (countMembers(value) !== outline.members) {
    return reject(`ambiguous: ${findRepeatedName(text)} is there more than once`);
  }
  if (text.includes("\\ud") || text.includes("\\uD")) {
    const broken = findLoneSurrogate(value, "");
    if (broken !== undefined)
      return reject(`not valid Unicode: half a character at ${truncatePointer(broken)}`);
  }
  return { ok: true, value, text };
}

const NOT_JSON = "not valid JSON";
const reject = (reason: string): StrictParse => ({ ok: false, reason });

/** Counts what stands outside strings. What it says of a text that is not JSON does not matter. */
function countTokens(text: string): { deep: boolean; values: number; members: number } {
  let depth = 0;
  let values = 1;
  let members = 0;
  for (let at = 0; at < text.length; ) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = findStringEnd(text, at);
        continue;
      case COLON:
        members++;
        break;
      case COMMA:
        values++;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        values++;
        if (++depth > MAX_DEPTH) return { deep: true, values, members };
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
    }
    at++;
  }
  return { deep: false, values, members };
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") count += countMembers(item);
    return count;
  }
  const object = value as Record<string, unknown>; // JSON.parse makes nothing else
  for (const name in object) {
    count++;
    const member = object[name];
    if (typeof member === "object") count += countMembers(member);
  }
  return count;
}

/** The pointer of the first name that its object has twice. */
function findRepeatedName(text: string): string {
  let found: string | undefined;
  const look = (at: number, pointer: string): number => {
    if (found !== undefined) return findValueEnd(text, at);
    if (text.charCodeAt(at) === OPEN_BRACKET) {
      return eachItem(text, at, (index, item) => look(item, `${pointer}/${index}`));
    }
    if (text.charCodeAt(at) !== OPEN_BRACE) return findValueEnd(text, at);
    const names = new Set<string>();
    return eachMember(text, at, (name, member) => {
      const place = `${pointer}/${escapePointerStep(name)}`;
      if (names.has(name)) found ??= place;
      names.add(name);
      return look(member, place);
    });
  };
  look(skipBlank(text, 0), "");
  return truncatePointer(found ?? "");
}

/** The pointer of the first text or name that holds half a surrogate pair. */
function findLoneSurrogate(value: unknown, pointer: string): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : pointer;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed()) return pointer;
    const broken = findLoneSurrogate(member, `${pointer}/${escapePointerStep(name)}`);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

/** RFC 6901: one step of a pointer. */
export function escapePointerStep(name: string): string {
  return name.includes("~") || name.includes("/")
    ? name.replaceAll("~", "~0").replaceAll("/", "~1")
    : name;
}

/** The name that such a step was written for. */
export function unescapePointerStep(step: string): string {
  return step.includes("~") ? step.replaceAll("~1", "/").replaceAll("~0", "~") : step;
}

/** A name may be as long as the body. */
const truncatePointer = (pointer: string) =>
  pointer.length > 120 ? `${pointer.slice(0, 120).toWellFormed()}…` : pointer || "the top";

function locateSyntaxError(bytes: Uint8Array): string {
  const end = skipValue(bytes, skipSpace(bytes, 0));
  const at = end < 0 ? ~end : skipSpace(bytes, end);
  return at < bytes.length ? `${NOT_JSON} at byte ${at}` : `${NOT_JSON}: it ends too early`;
}
