/** Compares a member name in JSON bytes with a name, without creating a string. */
import { foldCodePoint } from "../text/fold-name.ts";
import { BACKSLASH } from "./skip-value.ts";

/** `variant`: equal when case, width and letter style are ignored. */
export type NameMatch = "same" | "variant" | undefined;

/**
 * `from` and `to` are inside the quotes of a valid JSON string. Stops at the first character that
 * differs, so an escaped name costs little more than a plain one.
 */
export function matchName(bytes: Uint8Array, from: number, to: number, wanted: string): NameMatch {
  let at = from;
  let match: NameMatch = "same";
  for (let index = 0; index < wanted.length; index++) {
    if (at >= to) return undefined;
    const byte = bytes[at] ?? 0;
    const expected = wanted.charCodeAt(index);
    if (byte === expected) {
      at++;
      continue;
    }
    const plain = byte < 0x80 && byte !== BACKSLASH;
    const code = plain ? byte : codeAt(bytes, at);
    if (code !== expected) {
      if (foldCodePoint(code) !== foldCodePoint(expected)) return undefined;
      match = "variant";
    }
    at += plain ? 1 : widthAt(bytes, at);
  }
  return at === to ? match : undefined;
}

/** Returns the code point of an escape or a UTF-8 sequence. */
function codeAt(bytes: Uint8Array, at: number): number {
  const byte = (offset: number) => bytes[at + offset] ?? 0;
  const lead = byte(0);
  if (lead === BACKSLASH) {
    if (byte(1) !== LETTER_U) return SHORT_ESCAPES[byte(1)] ?? byte(1);
    const unit = hexAt(bytes, at + 2);
    return isPair(bytes, at)
      ? 0x10000 + ((unit & 0x3ff) << 10) + (hexAt(bytes, at + 8) & 0x3ff)
      : unit;
  }
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | (byte(1) & 0x3f);
  if (lead < 0xf0) return ((lead & 0xf) << 12) | ((byte(1) & 0x3f) << 6) | (byte(2) & 0x3f);
  return ((lead & 7) << 18) | ((byte(1) & 0x3f) << 12) | ((byte(2) & 0x3f) << 6) | (byte(3) & 0x3f);
}

function widthAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead === BACKSLASH) {
    if (bytes[at + 1] !== LETTER_U) return 2;
    return isPair(bytes, at) ? 12 : 6;
  }
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Returns whether two `\u` escapes form a surrogate pair. */
const isPair = (bytes: Uint8Array, at: number): boolean =>
  hexAt(bytes, at + 2) >> 10 === 0x36 &&
  bytes[at + 6] === BACKSLASH &&
  bytes[at + 7] === LETTER_U &&
  hexAt(bytes, at + 8) >> 10 === 0x37;

const hexAt = (bytes: Uint8Array, at: number): number =>
  (digit(bytes[at]) << 12) |
  (digit(bytes[at + 1]) << 8) |
  (digit(bytes[at + 2]) << 4) |
  digit(bytes[at + 3]);

/** Returns the value of a hexadecimal digit, upper or lower case. */
const digit = (byte = 0): number => (byte & 0xf) + (byte > 0x39 ? 9 : 0);

const LETTER_U = 0x75;
/** By the letter after the backslash; `"`, `\` and `/` represent themselves. */
const SHORT_ESCAPES: Record<number, number> = { 98: 8, 102: 12, 110: 10, 114: 13, 116: 9 };
