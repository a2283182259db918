/** Finds base64 and hex in a text: runs of their letters that decode to something that can be read. */
import { decodeText } from "../../lib/documents/decode-text.ts";
import { decodeReadableBytes, isTextByte } from "./decode-readable-bytes.ts";
import { createDecodingCollector, type Decoding } from "./decoding.ts";

/** Their runs as lines, each standing for the whole of its run. */
export function decodeBase64AndHex(text: string): readonly Decoding[] {
  const found = createDecodingCollector();
  let at = 0;
  while (at + MIN_RUN_CHARACTERS <= text.length) {
    // From its far end, so that ordinary words cost one look each.
    const gap = findLastGap(text, at, at + MIN_RUN_CHARACTERS);
    if (gap >= at) {
      at = gap + 1;
      continue;
    }
    const start = at;
    let shared = BASE64 | HEX | WORD;
    let line = at;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (classOf(unit) !== 0) shared &= classOf(unit);
      else if (unit === 0x0a && at - line >= MIN_LINE_CHARACTERS) line = at + 1;
      else break;
    }
    if (shared & WORD) continue;
    const run: EncodedRun = { start, end: at, alphabet: shared & HEX ? "hex" : "base64" };
    const said = decodeRun(text, run);
    if (said) found.add(run.alphabet, said, start, findPaddingEnd(text, run));
  }
  return found.build();
}

/** The last place between `start` and `end` that is not of the alphabet; before `start`: there is none. */
function findLastGap(text: string, start: number, end: number): number {
  let at = end - 1;
  while (at >= start && classOf(text.charCodeAt(at)) !== 0) at--;
  return at;
}

/** Base64 is filled up to a multiple of four with `=`: left behind a mask, it would belong to nothing. */
function findPaddingEnd(text: string, { end, alphabet }: EncodedRun): number {
  let at = end;
  while (alphabet === "base64" && at < end + 2 && text.charAt(at) === "=") at++;
  return at;
}

type EncodedRun = { start: number; end: number; alphabet: "base64" | "hex" };

/** undefined: nothing that can be read. */
function decodeRun(text: string, run: EncodedRun): string | undefined {
  // The run of a data URL is bytes for certain, in whichever charset.
  const isUrl = text.slice(run.start - DATA_URL.length, run.start).toLowerCase() === DATA_URL;
  if (!isUrl && !mayBeText(text, run)) return undefined;
  const written = text.slice(run.start, run.end);
  if (isUrl) return decodeText(Buffer.from(written, "base64"), null);
  const bytes = Buffer.from(written, run.alphabet);
  return isWideText(bytes) ? bytes.toString("utf16le") : decodeReadableBytes(bytes);
}

const DATA_URL = ";base64,";

/** A look at the first three bytes settles it for nearly every long word, without decoding it. */
function mayBeText(text: string, { start, alphabet }: EncodedRun): boolean {
  const [first, second, third] =
    alphabet === "hex" ? readHexBytes(text, start) : readBase64Bytes(text, start);
  if (!mayFollow(first, 0x20) || !mayFollow(third, second)) return false;
  // In UTF-16 every other byte of ASCII is zero.
  return mayFollow(second, first) || (second === 0 && first < 0x80);
}

/** No control character; and in UTF-8 a byte that continues a letter comes after one beyond ASCII. */
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
/** How base64 is wrapped in mail and PEM. A shorter line followed by a word is a line followed by a word. */
const MIN_LINE_CHARACTERS = 60;

const BASE64 = 1;
const HEX = 2;
/** What words and paths are made of; no base64 of this length is all of it. */
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

/** UTF-16 of ASCII, as PowerShell takes its encoded commands. */
function isWideText(bytes: Uint8Array): boolean {
  return bytes.every((byte, index) => (index % 2 === 1 ? byte === 0 : byte >= 9 && byte < 0x7f));
}
