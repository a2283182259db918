/** Decodes the runs of base64 and hex in text that contain readable text. */
import { readCharsets } from "../../lib/documents/declared-charsets.ts";
import { decodeText } from "../../lib/documents/decode-text.ts";
import { decodeReadableBytes, isTextByte } from "./decode-readable-bytes.ts";
import { createDecodingCollector, type Decoding } from "./decoding.ts";
import { isKey } from "./is-key.ts";

/** Returns one line per run, mapped to the whole run. */
export function decodeBase64AndHex(text: string): readonly Decoding[] {
  const decodings = createDecodingCollector();
  const add = (run: EncodedRun): void => {
    const decoded = decodeRun(text, run);
    if (decoded) decodings.add(run.alphabet, decoded, run.start, findPaddingEnd(text, run));
  };
  visitRuns(text, MIN_RUN_CHARACTERS, (run) => {
    const values = readList(text, run);
    if (values.length === 0) add(run);
    values.forEach(add);
  });
  return decodings.build();
}

/**
 * Returns the lines of a run if they are values of their own, which resemble a wrapped one: the bytes of a line are text, and those
 * of all lines are not. Keys have no text in their lines.
 */
function readList(text: string, run: EncodedRun): EncodedRun[] {
  if (!mayBeList(text, run)) return [];
  const bytes = readRunBytes(text, run);
  if (isKey(bytes) || decodeReadableBytes(bytes) !== undefined) return [];
  const lines = listLines(text, run);
  return lines.some((line) => decodeReadableBytes(readRunBytes(text, line))) ? lines : [];
}

/** Detects line ends that are escaped or indented. */
export const mayBeList = (text: string, { start, end }: EncodedRun): boolean =>
  /\\|\n[ \t]/.test(text.slice(start, end));

function listLines(text: string, run: EncodedRun): EncodedRun[] {
  const encoded = text.slice(run.start, run.end);
  const lines: EncodedRun[] = [];
  let from = 0;
  for (const line of encoded.split(LINE_ENDS)) {
    const start = run.start + encoded.indexOf(line, from);
    from = start - run.start + line.length;
    const end = start + line.length;
    if (line.length >= MIN_RUN_CHARACTERS)
      lines.push({ start, end, alphabet: isHex(line) ? "hex" : "base64" });
  }
  return lines;
}

/** Calls `visit` with each run of at least `minCharacters` that is not a word or a path. */
export function visitRuns(
  text: string,
  minCharacters: number,
  visit: (run: EncodedRun) => void,
): void {
  let at = 0;
  while (at + minCharacters <= text.length) {
    // Backward from the end of the shortest run, so that an ordinary word costs one test.
    const gap = findLastGap(text, at, at + Math.min(minCharacters, MIN_LINE_CHARACTERS));
    if (gap >= at) {
      at = gap + 1;
      continue;
    }
    const from = at + lengthOfEscape(text, at);
    const start = from + lengthOfHexPrefix(text, from);
    let shared = BASE64 | HEX | WORD;
    let line = start;
    let end = start;
    let wrap: Wrap | undefined;
    for (at = start; at < text.length; ) {
      const unit = text.charCodeAt(at);
      if (classOf(unit) !== 0) {
        shared &= classOf(unit);
        at += 1;
        end = at;
        continue;
      }
      const lineEnd = at - line >= MIN_LINE_CHARACTERS ? readLineEnd(text, at) : "";
      if (lineEnd === "") break;
      wrap ??= { at, lineEnd, width: at - line };
      if (!mayContinue(text, text.slice(line, at), at, lineEnd, wrap)) break;
      at += lineEnd.length;
      line = at;
    }
    if (shared & WORD || end - start < minCharacters) continue;
    if (shared & HEX) visit({ start, end, alphabet: "hex" });
    else visit({ start: from, end, alphabet: "base64" });
  }
}

/** Returns the length of the rest of an escape, such as `\\n`, after its backslash. */
function lengthOfEscape(text: string, at: number): number {
  if (text.charAt(at - 1) !== "\\") return 0;
  ESCAPED.lastIndex = at;
  return ESCAPED.test(text) ? ESCAPED.lastIndex - at : 0;
}
const ESCAPED = /[nrt]|u[\da-fA-F]{4}/y;

const lengthOfHexPrefix = (text: string, at: number): number =>
  text.charAt(at) === "0" && /[xX]/.test(text.charAt(at + 1)) ? 2 : 0;

/** Line end in a run, which may be escaped, with the indentation of the next line. */
export const LINE_END_SOURCE = "(?:\\r?\\n|\\\\{1,8}(?:r\\\\{1,8})?n)[ \\t]{0,20}";

/**
 * Returns a line end with the indentation of the next line, or an empty string. JSON text escapes it, and JSON inside of JSON
 * escapes it again.
 */
function readLineEnd(text: string, at: number): string {
  const unit = text.charCodeAt(at);
  if (unit !== 0x0a && unit !== 0x0d && unit !== 0x5c) return "";
  LINE_END.lastIndex = at;
  return LINE_END.exec(text)?.[0] ?? "";
}
const LINE_END = new RegExp(LINE_END_SOURCE, "y");

/** First line end of a run, at `at`, and the characters before it. */
type Wrap = { at: number; lineEnd: string; width: number };

/**
 * Detects whether the line after `line`, which ends at `at`, continues its run. Lines that are indented or escaped may also be members
 * of an object or items of a list, so each must be as long as the first, of whole bytes, and the value must not continue with other
 * text.
 */
function mayContinue(text: string, line: string, at: number, lineEnd: string, wrap: Wrap): boolean {
  if (isPlain(lineEnd)) return isPlain(wrap.lineEnd);
  const { length } = line;
  if (lineEnd !== wrap.lineEnd || length !== wrap.width) return false;
  if (length > MAX_WRAPPED_LINE || length % 4 !== 0) return false;
  NEXT_LINE.lastIndex = at + lineEnd.length;
  const next = NEXT_LINE.exec(text)?.[0] ?? "";
  if (next === "" || next.length > length) return false;
  // One line and a word are no wrapped value.
  if (at === wrap.at && next.length % (isHex(line) ? 2 : 4) !== 0) return false;
  return isHex(next) ? isHex(line) || next.length < MIN_RUN_CHARACTERS : !isHex(line);
}
const isPlain = (lineEnd: string): boolean => lineEnd === "\n" || lineEnd === "\r\n";
const isHex = (line: string): boolean => /^[\da-f]*$/i.test(line);
const MAX_WRAPPED_LINE = 128;
const NEXT_LINE = /[\w+/-]{1,128}={0,2}(?=[\r\n\\"'`<]|$)/y;

/** Returns the bytes of a run, or of its beginning. */
export function readRunBytes(text: string, run: EncodedRun, maxCharacters = Infinity): Buffer {
  const encoded = text.slice(run.start, Math.min(run.end, run.start + maxCharacters));
  const isEscaped = encoded.includes("\\");
  // Buffer ends hex at the first line end, and ignores those in base64.
  const isWrapped = isEscaped || (run.alphabet === "hex" && encoded.includes("\n"));
  return Buffer.from(isWrapped ? encoded.replace(LINE_ENDS, "") : encoded, run.alphabet);
}
const LINE_ENDS = /(?:\s|\\[rn]?)+/g;

/** Returns the last offset from `start` to `end` outside the alphabet, or `start - 1`. */
function findLastGap(text: string, start: number, end: number): number {
  let at = end - 1;
  while (at >= start && classOf(text.charCodeAt(at)) !== 0) at--;
  return at;
}

/** Includes the padding of base64 in the run, so that no `=` remains after a mask. */
export function findPaddingEnd(text: string, { end, alphabet }: EncodedRun): number {
  let at = end;
  while (alphabet === "base64" && at < end + 2 && text.charAt(at) === "=") at++;
  return at;
}

export type EncodedRun = { start: number; end: number; alphabet: "base64" | "hex" };

/** Returns undefined if the run is not readable text. */
export function decodeRun(text: string, run: EncodedRun): string | undefined {
  const before = text.slice(Math.max(0, run.start - MAX_DECLARATION), run.start);
  const isDeclared = DECLARATION.test(before);
  if (!isDeclared && !mayBeText(text, run) && !mayBeOtherText(text, run)) return undefined;
  if (isDeclared) {
    const bytes = readRunBytes(text, { ...run, alphabet: "base64" });
    return decodeText(bytes, readUrlCharsets(text, run));
  }
  const bytes = readRunBytes(text, run);
  if (isWideText(bytes)) return bytes.toString("utf16le");
  return decodeReadableBytes(bytes) ?? (resemblesText(bytes) ? decodeText(bytes) : undefined);
}

/** The beginning of a data URL, or of a member of JSON text that is base64: its payload may be in any charset. */
const DECLARATION = /;base64,$|"(?:blob|bytes|b64_json|file_data)\\*"\s{0,2}:\s{0,2}\\*"$/i;
const MAX_DECLARATION = 24;

/** Returns the charsets of the data URL that ends with the run. */
export function readUrlCharsets(text: string, { start }: EncodedRun): string[] {
  const before = text.slice(Math.max(0, start - MAX_URL_TYPE), start);
  if (!before.endsWith(",")) return [];
  return readCharsets(before.slice(before.toLowerCase().lastIndexOf("data:")));
}
const MAX_URL_TYPE = 200;

/** Checks the first three bytes, which rejects nearly every long word without decoding it. */
function mayBeText(text: string, { start, alphabet }: EncodedRun): boolean {
  const [first, second, third] =
    alphabet === "hex" ? readHexBytes(text, start) : readBase64Bytes(text, start);
  if (!mayFollow(first, 0x20) || !mayFollow(third, second)) return false;
  // ASCII as UTF-16: every second byte is zero.
  return mayFollow(second, first) || (second === 0 && first < 0x80);
}

/** In shorter runs, random bytes often are text of some charset. */
const isLong = ({ start, end }: EncodedRun): boolean => end - start >= MIN_LONG_CHARACTERS;
const MIN_LONG_CHARACTERS = 40;

/** Checks the first and the middle bytes for UTF-16, for Latin-1 and for text with control characters. */
function mayBeOtherText(text: string, run: EncodedRun): boolean {
  return (
    isLong(run) &&
    (isTextSample(text, run.start, run) || isTextSample(text, findMiddle(text, run), run))
  );
}

/** Returns an offset in the middle at which a byte starts: that of a line, or a multiple of four. */
function findMiddle(text: string, { start, end }: EncodedRun): number {
  const middle = start + (((end - start) >> 1) & ~3);
  const from = Math.max(start, middle - MAX_LINE_CHARACTERS);
  let line = middle;
  for (const { 0: lineEnd, index } of text
    .slice(from, middle + SAMPLE_CHARACTERS)
    .matchAll(LINE_ENDS))
    line = from + index + lineEnd.length;
  return line;
}
/** Longest line of wrapped base64 and hex. */
const MAX_LINE_CHARACTERS = 80;

function isTextSample(text: string, start: number, { alphabet }: EncodedRun): boolean {
  const [read, step] = alphabet === "hex" ? [readHexBytes, 6] : [readBase64Bytes, 4];
  const bytes: number[] = [];
  for (let at = start; at < start + SAMPLE_CHARACTERS; at += step) bytes.push(...read(text, at));
  return resemblesText(bytes);
}

/** Rejects most random bytes before charsets are tried, which takes ten times as long as decoding base64. */
function resemblesText(bytes: ArrayLike<number>): boolean {
  const [first = 0, second = 0] = [bytes[0], bytes[1]];
  if ((first & second) === 0xfe && (first | second) === 0xff) return true; // byte order mark
  let [zeros, texts] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0) zeros++;
    else if (isAsciiText(byte)) texts++;
  }
  return zeros * 3 > bytes.length || texts * 2 > bytes.length;
}

const isAsciiText = (byte: number): boolean => byte < 0x80 && isTextByte(byte);
/** A multiple of the digits of three bytes, and at most half of a long run. */
const SAMPLE_CHARACTERS = 12;

/** Rejects control characters, and UTF-8 continuation bytes after an ASCII byte. */
const mayFollow = (byte: number, before: number) =>
  byte < 0x80 ? isTextByte(byte) : byte >= 0xc2 || before >= 0x80;

type FirstBytes = [number, number, number];

const readHexBytes = (text: string, start: number): FirstBytes => {
  const bytes = Number.parseInt(text.slice(start, start + 6), 16);
  return [bytes >> 16, (bytes >> 8) & 0xff, bytes & 0xff];
};

function readBase64Bytes(text: string, start: number): FirstBytes {
  const digit = (index: number) => DIGIT[text.charCodeAt(start + index)] ?? 0;
  const bytes = (digit(0) << 18) | (digit(1) << 12) | (digit(2) << 6) | digit(3);
  return [bytes >> 16, (bytes >> 8) & 0xff, bytes & 0xff];
}

/** Shorter runs are words and numbers. */
const MIN_RUN_CHARACTERS = 16;
/** Shortest line of wrapped base64 in mail and PEM. A shorter line ends the run. */
const MIN_LINE_CHARACTERS = 60;

const BASE64 = 1;
const HEX = 2;
/** Characters of words and paths: a run of only these is not base64. */
const WORD = 4;
const CLASS = new Uint8Array(128);
const DIGIT = new Uint8Array(128);
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
for (const letter of `${DIGITS}-_`) {
  const unit = letter.charCodeAt(0);
  DIGIT[unit] = DIGITS.indexOf(letter.replace("-", "+").replace("_", "/"));
  CLASS[unit] =
    BASE64 | (/[0-9a-f]/i.test(letter) ? HEX : 0) | (/[a-z/_-]/.test(letter) ? WORD : 0);
}
const classOf = (unit: number) => CLASS[unit] ?? 0;

/** Checks for ASCII encoded as UTF-16, as in PowerShell's encoded commands. */
function isWideText(bytes: Uint8Array): boolean {
  return bytes.every((byte, index) => (index % 2 === 1 ? byte === 0 : byte >= 9 && byte < 0x7f));
}
