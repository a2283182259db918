/** Parses JSON that every parser reads alike, and rejects any other. */
import { isUtf8 } from "node:buffer";
import { decodeUtf8 } from "../view-bytes.ts";
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
  applyEdits,
  CLOSE_BRACKET,
  eachItem,
  eachMember,
  findStringEnd,
  findValueEnd,
  skipBlank,
  type TextEdit,
} from "./source-text.ts";

export type StrictParse =
  /** `values` is the number of values in the text, which differs from what was parsed if it `isRepaired`. */
  | { ok: true; value: unknown; text: string; values: number; isRepaired: boolean }
  /** Completes the sentence "The body is …". Contains member names at most, never a value. */
  | { ok: false; reason: string };

/** An empty object takes three bytes of text and sixty of memory. */
export const MAX_VALUES = 1_000_000;

export interface StrictLimits {
  maxValues?: number | undefined;
  maxMembers?: number | undefined;
  /** Keeps the last of the members with a name, for a caller that uses the returned text instead of its own. */
  dropsRepeated?: boolean | undefined;
}

/**
 * Accepts JSON in UTF-8 without a byte order mark, limited in depth and number of values. Rejects what parsers
 * disagree on: duplicate names, of which some use the first and others the last. Replaces lone surrogates, as
 * encoders do.
 */
export function parseStrict(bytes: Uint8Array, limits?: StrictLimits): StrictParse {
  if (!isUtf8(bytes)) return reject("not valid UTF-8");
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return reject("not plain JSON: it starts with a byte order mark");
  }
  const text = decodeUtf8(bytes);
  const parsed = parseStrictText(text, limits);
  return parsed.ok || parsed.reason !== NOT_JSON ? parsed : reject(locateSyntaxError(bytes));
}

/** The same for text, such as JSON inside a string. */
export function parseStrictText(text: string, limits?: StrictLimits): StrictParse {
  const parsed = parseUnambiguous(text, limits);
  if (!parsed.ok || !/\\ud/i.test(text) || isWellFormed(parsed.value)) return parsed;
  // Again: names that differ in half of a pair are now equal.
  const repaired = parseUnambiguous(parsed.text.replace(ESCAPE, repairEscape), limits);
  return repaired.ok ? { ...repaired, isRepaired: true } : repaired;
}

/** An escaped pair, half of one, or any other escape. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)/g;
const repairEscape = (found: string, half?: string): string => (half ? "\\ufffd" : found);

/** Accepts lone surrogates: an event of a stream may contain half of a pair, and the next event the other half. */
export function parseUnambiguous(
  text: string,
  { maxValues = MAX_VALUES, maxMembers = maxValues, dropsRepeated = false }: StrictLimits = {},
): StrictParse {
  const outline = countTokens(text);
  if (outline.deep) return reject(`nested deeper than ${MAX_DEPTH} levels`);
  if (outline.values > maxValues) return reject(`made of more than ${maxValues} values`);
  if (outline.members > maxMembers) return reject(`made of more than ${maxMembers} members`);

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return reject(NOT_JSON);
  }

  // JSON.parse keeps one member of each name, so a duplicate name results in fewer members than colons.
  if (countMembers(value) === outline.members)
    return { ok: true, value, text, values: outline.values, isRepaired: false };
  const { place, edits } = findRepeatedNames(text);
  if (!dropsRepeated) return reject(`ambiguous: ${place} is repeated`);
  return {
    ok: true,
    value,
    text: applyEdits(text, edits),
    values: outline.values,
    isRepaired: true,
  };
}

const NOT_JSON = "not valid JSON";
const reject = (reason: string): StrictParse => ({ ok: false, reason });

/** Counts tokens outside of strings. The result for invalid JSON does not matter. */
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
  const object = value as Record<string, unknown>; // JSON.parse creates nothing else
  for (const name in object) {
    count++;
    const member = object[name];
    if (typeof member === "object") count += countMembers(member);
  }
  return count;
}

/** Returns the pointer of the first duplicate name, and the edits that remove all members but the last of each name. */
function findRepeatedNames(text: string): { place: string; edits: TextEdit[] } {
  let found = "";
  const edits: TextEdit[] = [];
  const look = (at: number, pointer: string): number => {
    if (text.charCodeAt(at) === OPEN_BRACKET) {
      return eachItem(text, at, (index, item) => look(item, `${pointer}/${index}`));
    }
    if (text.charCodeAt(at) !== OPEN_BRACE) return findValueEnd(text, at);
    const members = new Map<string, TextEdit>();
    return eachMember(text, at, (name, member, slot) => {
      const place = `${pointer}/${escapePointerStep(name)}`;
      const earlier = members.get(name);
      if (earlier) {
        found ||= place;
        edits.push(earlier);
      }
      const end = look(member, place);
      // With the comma, which follows any member but the last.
      members.set(name, { from: slot, to: skipBlank(text, end) + 1, put: "" });
      return end;
    });
  };
  look(skipBlank(text, 0), "");
  const outermost: TextEdit[] = [];
  for (const edit of edits.toSorted((one, other) => one.from - other.from)) {
    if (edit.from >= (outermost.at(-1)?.to ?? 0)) outermost.push(edit);
  }
  return { place: truncatePointer(found), edits: outermost };
}

/** Returns whether no string or name contains a lone surrogate. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([name, member]) => name.isWellFormed() && isWellFormed(member),
  );
}

/** Escapes one step of a JSON pointer (RFC 6901). */
export function escapePointerStep(name: string): string {
  return name.includes("~") || name.includes("/")
    ? name.replaceAll("~", "~0").replaceAll("/", "~1")
    : name;
}

/** Reverses `escapePointerStep`. */
export function unescapePointerStep(step: string): string {
  return step.includes("~") ? step.replaceAll("~1", "/").replaceAll("~0", "~") : step;
}

/** Caps the length: a name may be as long as the body. */
const truncatePointer = (pointer: string) =>
  pointer.length > 120 ? `${pointer.slice(0, 120).toWellFormed()}…` : pointer || "the top";

function locateSyntaxError(bytes: Uint8Array): string {
  const end = skipValue(bytes, skipSpace(bytes, 0));
  const at = end < 0 ? ~end : skipSpace(bytes, end);
  return at < bytes.length ? `${NOT_JSON} at byte ${at}` : `${NOT_JSON}: it ends too early`;
}
