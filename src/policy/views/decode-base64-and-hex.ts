/** Decodes the runs of base64 and hex in text that contain readable text. */
import { readCharsets } from "../../lib/documents/declared-charsets.ts";
import { decodeText } from "../../lib/documents/decode-text.ts";
import { decodeReadableBytes, isTextByte } from "./decode-readable-bytes.ts";
import { createDecodingCollector, type Decoding } from "./decoding.ts";
import {
  DIGITS,
  type EncodedRun,
  findPaddingEnd,
  LINE_ENDS,
  listLines,
  MAX_WRAPPED_LINE,
  MIN_RUN_CHARACTERS,
  mayBeList,
  readRunBytes,
  visitRuns,
} from "./encoded-runs.ts";
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
  const from = Math.max(start, middle - MAX_WRAPPED_LINE);
  const before = text.slice(from, middle + SAMPLE_CHARACTERS);
  const lineEnd = Array.from(before.matchAll(LINE_ENDS)).at(-1);
  return lineEnd ? from + lineEnd.index + lineEnd[0].length : middle;
}

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

const DIGIT = new Uint8Array(128);
for (const letter of `${DIGITS}-_`) {
  const digit = letter.replace("-", "+").replace("_", "/");
  DIGIT[letter.charCodeAt(0)] = DIGITS.indexOf(digit);
}

/** Checks for ASCII encoded as UTF-16, as in PowerShell's encoded commands. */
function isWideText(bytes: Uint8Array): boolean {
  return bytes.every((byte, index) => (index % 2 === 1 ? byte === 0 : byte >= 9 && byte < 0x7f));
}
