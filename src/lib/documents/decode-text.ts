/** Decodes bytes to text. Prefers what the bytes show over the declared charset: a false one would hide text. */
import { isUtf8 as isValidUtf8 } from "node:buffer";
import { viewBytes } from "../view-bytes.ts";
import {
  areDifferent,
  findOther,
  isLatin1,
  isUtf16,
  LATIN_1,
  mayHaveOtherLetters,
  readOwnCharsets,
  resolveCharset,
} from "./declared-charsets.ts";
import { isCompressed } from "./file-kind.ts";

/** Text, and whether others may read something else in its bytes. */
export interface ReadText {
  text: string;
  hasBinary: boolean;
}

/** Returns undefined when the bytes are not text in any charset that can be detected. `declared`: charsets beside the bytes. */
export function readText(bytes: Uint8Array, declared: readonly string[]): ReadText | undefined {
  const decoded = decode(bytes, declared);
  if (!decoded) return undefined;
  const { text, isWide, isMixed } = decoded;
  const hasOthers = isWide
    ? areDifferent(["utf-8", ...declared])
    : !isValidUtf8(bytes) && areDifferent([...declared, ...readOwnCharsets(text)]);
  return { text, hasBinary: isMixed || hasOthers || containsBinary(text) };
}

/** Returns the text only; undefined like `readText`. */
export const decodeText = (
  bytes: Uint8Array,
  declared: readonly string[] = [],
): string | undefined => decode(bytes, declared)?.text;

interface Decoded {
  text: string;
  /** UTF-16 or UTF-32. */
  isWide: boolean;
  /** The bytes are also text in letters of another size. */
  isMixed: boolean;
}

function decode(bytes: Uint8Array, declared: readonly string[]): Decoded | undefined {
  if (isCompressed(bytes)) return undefined;
  const head = bytes.subarray(0, HEAD);
  const beside = declared.map(resolveCharset).find(isUtf16);
  const mark = detectByteOrderMark(head);
  const charset = mark ?? detectWideCharset(head) ?? beside;
  const isFalse = charset !== undefined && charset !== "utf-8" && isOneByteText(charset, head);
  if (charset === undefined || isFalse) return decodeBytes(bytes, declared, isFalse);
  if (!isLegible(decodeAs(charset, head))) return undefined;
  const text = decodeAs(charset, bytes);
  if (charset === "utf-8") return { text, isWide: false, isMixed: false };
  const source = latin1(bytes);
  if (ONE_BYTE_LETTERS.test(source)) return undefined;
  // Parsers that expect UTF-8 read letters among NULs, which UTF-16 would turn into others.
  const isDeclared = mark !== undefined || charset === beside;
  const isSwapped =
    SWAPPED_LETTERS.test(text) || (isDeclared ? ONE_BYTE_DIGITS : ASCII_PAIR).test(source);
  const isCut = bytes.length % (charset.startsWith("utf-32") ? 4 : 2) > 0;
  return isSwapped || (isCut && !isDeclared)
    ? { text: new TextDecoder().decode(bytes), isWide: true, isMixed: true }
    : { text, isWide: true, isMixed: isCut };
}

/** Decodes letters of one byte or more. `isMixed`: a byte order mark or charset declares UTF-16. */
function decodeBytes(
  bytes: Uint8Array,
  declared: readonly string[],
  isMixed: boolean,
): Decoded | undefined {
  const head = bytes.subarray(0, HEAD);
  const headText = new TextDecoder().decode(head, { stream: true });
  if (isUtf8(headText)) {
    if (!isLegible(headText)) return undefined;
    const text = new TextDecoder().decode(bytes);
    if (isUtf8(text)) return { text, isWide: false, isMixed };
  }
  const known = findOther(declared) ?? findOther(readOwnCharsets(latin1(bytes)));
  const isLatin = isMostlyAscii(head) || declared.some(isLatin1);
  if (!known && !isLatin) return undefined;
  return { text: new TextDecoder(known ?? LATIN_1).decode(bytes), isWide: false, isMixed };
}

/**
 * Returns whether bytes that a mark or charset declares as UTF-16 are ASCII or UTF-8, whose letters it would turn into
 * others. Kana and Indic letters have bytes of ASCII, too: each has a 0 or a line end.
 */
function isOneByteText(charset: Charset, head: Uint8Array): boolean {
  const source = latin1(head);
  if (findOther(readOwnCharsets(source))) return true;
  if (isMostlyAscii(head))
    return shareOf(ASCII_LIKE, decodeAs(charset, head)) < 1 / 3 || hasOneByteLetters(source);
  // The mark is not UTF-8.
  const text = new TextDecoder().decode(head, { stream: true }).slice(2);
  return !text.includes("\ufffd") && shareOf(BEYOND_ASCII, text) > 1 / 4;
}

const ASCII_LIKE = /[\u0900-\u0dff\u3040-\u30ff]/g;
const BEYOND_ASCII = /[^\0-\x7f]/g;
const shareOf = (letters: RegExp, text: string): number =>
  (text.match(letters)?.length ?? 0) / text.length;

/**
 * Returns whether decoded text contains other bytes, such as a compressed file after prose, or all of it in a charset
 * that accepts any byte, or declares a charset that was not used. Text has few control characters: of 8,000 files with text, 5
 * are reported.
 */
export function containsBinary(text: string): boolean {
  if (text.includes(SHIFT) || DECLARES_SEVEN_BITS.test(text) || mayHaveOtherLetters(text))
    return true;
  let score = 0;
  for (let at = 0; at < text.length; at++) {
    if (isForeign(text.charCodeAt(at))) {
      score += FOREIGN_SCORE;
      if (score >= BINARY_SCORE) return true;
    } else if (score > 0) score -= 1;
  }
  return false;
}

/** ISO-2022 selects a table of two bytes for each letter. */
const SHIFT = "\x1b$";
/** UTF-7, ISO-2022 and HZ, declared anywhere. They write other letters in ASCII. */
const DECLARES_SEVEN_BITS =
  /(?:(?:charset|encoding)[\s"'=*]{1,20}(?:[\w-]{0,20}'[\w-]{0,10}')?|=\?)[\w-]{0,20}?(?:utf[-_]?7|iso[-_]?2022|hz[-_]?gb)/i;

/** Three such characters within about 30 are reported: in random bytes, one in nine is such a character. */
const FOREIGN_SCORE = 32;
const BINARY_SCORE = 96;

/** Matches control, replacement and private-use characters. Terminal output contains backspaces and escapes. */
function isForeign(unit: number): boolean {
  if (unit < 0x20) return unit < 8 || (unit > 13 && unit !== ESCAPE);
  if (unit < 0xa0) return unit >= 0x7f && unit !== NEXT_LINE;
  return unit === REPLACEMENT || (unit >= 0xe000 && unit <= 0xf8ff);
}

const ESCAPE = 0x1b;
const NEXT_LINE = 0x85;

const latin1 = (bytes: Uint8Array): string => viewBytes(bytes).toString("latin1");

/** UTF-16 and UTF-32 contain no such run, without the 0 of kana. Other parsers would read single-byte text between them. */
const ONE_BYTE_LETTERS = /(?:(?!0[A-Z_a-z]|[A-Z_a-z]0)[\w ,.:-]{2}){8}/;

/** Digits, or letters between tabs and line ends, which are Indic letters in UTF-16. */
const ONE_BYTE_DIGITS = /\d[\d\s-]{9}|(?:[A-Za-z]\s){8}/;

const hasOneByteLetters = (source: string): boolean =>
  ONE_BYTE_LETTERS.test(source) || ONE_BYTE_DIGITS.test(source);

/** Two letters or signs of ASCII side by side. */
const ASCII_PAIR = /\w[ -~]|[ -~]\w/;

/** Matches a word in the other byte order. Without 0 and N: ideographic spaces and the Chinese one are repeated in text. */
const SWAPPED_LETTERS = new RegExp(
  `[${swapBytes("123456789ABCDEFGHIJKLMOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ,.@-")}]{4}`,
);

function swapBytes(text: string): string {
  return Buffer.from(text, "utf16le").swap16().toString("utf16le");
}

/** Bytes from which the charset is detected. */
const HEAD = 4096;

type Charset = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** Detects `<?` in UTF-16, too, which declares it for [XML](https://www.w3.org/TR/xml/#sec-guessing). */
function detectByteOrderMark(bytes: Uint8Array): Charset | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) {
    return third === 0 && fourth === 0 ? "utf-32le" : "utf-16le";
  }
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0x3c && second === 0 && third === 0x3f && fourth === 0) return "utf-16le";
  if (first === 0 && second === 0x3c && third === 0 && fourth === 0x3f) return "utf-16be";
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? "utf-32be" : undefined;
}

/** Detects UTF-16 and UTF-32 without a byte order mark by the positions of zero bytes. */
function detectWideCharset(bytes: Uint8Array): Charset | undefined {
  const zeros: [number, number, number, number] = [0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) zeros[(at % 4) as 0] += 1;
  const [first, second, third, fourth] = zeros;
  const quarter = bytes.length / 4;
  const nearlyAll = quarter * 0.9;
  if (quarter >= 1 && third >= nearlyAll && fourth >= nearlyAll && first < quarter / 2)
    return "utf-32le";
  if (quarter >= 1 && first >= nearlyAll && second >= nearlyAll && fourth < quarter / 2)
    return "utf-32be";
  const [even, odd] = [first + third, second + fourth];
  if (odd > quarter && even < odd / 8) return "utf-16le";
  return even > quarter && odd < even / 8 ? "utf-16be" : undefined;
}

function decodeAs(charset: Charset, bytes: Uint8Array): string {
  if (!charset.startsWith("utf-32")) return new TextDecoder(charset).decode(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, charset === "utf-32le");
    const isMark = at === 0 && code === 0xfeff;
    if (!isMark) pieces.push(code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd");
  }
  return pieces.join("");
}

/** Maximum share of control and replacement characters in text. */
const MAX_ILLEGIBLE = 0.3;
const REPLACEMENT = 0xfffd;

/** An invalid byte among non-ASCII letters is damage; without such letters it is another charset. */
function isUtf8(decoded: string): boolean {
  if (!decoded.includes("\ufffd")) return true;
  let [bad, beyond] = [0, 0];
  for (let at = 0; at < decoded.length; at++) {
    const unit = decoded.charCodeAt(at);
    if (unit === REPLACEMENT) bad += 1;
    else if (unit > 0x7f) beyond += 1;
  }
  return bad < beyond;
}

function isLegible(text: string): boolean {
  let bad = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isControl = unit < 0x20 ? unit < 9 || unit > 13 : unit === 0x7f;
    if (isControl || unit === REPLACEMENT) bad += 1;
  }
  return bad <= text.length * MAX_ILLEGIBLE;
}

/** Three in eight compressed or encrypted bytes are printable ASCII, but nearly all of Western text. */
function isMostlyAscii(bytes: Uint8Array): boolean {
  let printable = 0;
  for (const byte of bytes) {
    if ((byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13)) printable += 1;
  }
  return printable > bytes.length * 0.7;
}
