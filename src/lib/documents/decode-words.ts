/** Unfolds the headers of mails, and decodes their words that are in base64 or quoted-printable ([RFC 2047](https://www.rfc-editor.org/rfc/rfc2047)). */
import { decodeText } from "./decode-text.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import type { SourceRange } from "./walk-markup.ts";

export const hasEncodedWords = (text: string): boolean => WORD_START.test(text);

/** Returns the headers that have such words, unfolded and decoded. */
export async function decodeWords(source: string, slicer: TimeSlicer): Promise<string[]> {
  if (!hasEncodedWords(source)) return [];
  const decoded: string[] = [];
  for (const [header] of source.matchAll(HEADER)) {
    if (slicer.isDue()) await slicer.yield();
    if (hasEncodedWords(header)) decoded.push(await decodeHeader(header, slicer));
  }
  return decoded;
}

async function decodeHeader(header: string, slicer: TimeSlicer): Promise<string> {
  const unfolded = header.replace(/[\r\n]+/g, "").replace(BETWEEN_WORDS, "$1");
  const pieces: string[] = [];
  let at = 0;
  /** Words in a row of one charset are decoded together: a character may be split between them. */
  let bytes: Uint8Array[] = [];
  let last = "";
  const flush = () => {
    const joined = Buffer.concat(bytes);
    pieces.push(decodeText(joined, [last]) ?? joined.toString("latin1"));
    bytes = [];
  };
  for (const word of unfolded.matchAll(WORD)) {
    if (slicer.isDue()) await slicer.yield();
    const [whole, charset = "", encoding = "", data = ""] = word;
    if (word.index > at || charset.toLowerCase() !== last) flush();
    pieces.push(unfolded.slice(at, word.index));
    at = word.index + whole.length;
    last = charset.toLowerCase();
    const isBase64 = encoding.toLowerCase() === "b";
    bytes.push(
      isBase64 ? Buffer.from(data, "base64") : await unquoted(data.replaceAll("_", " "), slicer),
    );
  }
  flush();
  pieces.push(unfolded.slice(at));
  return pieces.join("");
}

interface UnfoldedLine extends SourceRange {
  text: string;
}

/** Returns the folded headers of a mail, or lines of a calendar or contact, each in one line. */
export async function unfoldLines(source: string, slicer: TimeSlicer): Promise<UnfoldedLine[]> {
  if (!HEADER_START.test(source)) return [];
  const [block = ""] = source.split(BLANK_LINE, 1);
  // A mail keeps the white space (RFC 5322), a calendar or contact does not (RFC 5545, RFC 6350).
  const fold = /^\s*BEGIN:V/i.test(source) ? /(?:\r\n?|\n)[ \t]/g : /[\r\n]+/g;
  const unfolded: UnfoldedLine[] = [];
  for (const { 0: header, index: from } of block.matchAll(HEADER)) {
    if (slicer.isDue()) await slicer.yield();
    if (!/[\r\n]/.test(header)) continue;
    unfolded.push({ text: header.replace(fold, ""), from, to: from + header.length });
  }
  return unfolded;
}

/** Returns whether `unfoldLines` may find such a line. */
export const hasFoldedLines = (text: string): boolean =>
  HEADER_START.test(text) && /[\r\n][ \t]/.test(text.split(BLANK_LINE, 1)[0] ?? "");

const HEADER_START = /^\s*[\w-]{1,40}:/;
/** Mail parsers accept a carriage return as the end of a line. */
export const BLANK_LINE = /(?:\r\n|\n|\r(?!\n)){2}/;

/** Decodes quoted-printable text. */
export async function unquoted(body: string, slicer: TimeSlicer): Promise<Uint8Array> {
  const source = Buffer.from(body).toString("latin1");
  const decoded: Buffer[] = [];
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at, at + PIECE);
    const piece = at + PIECE < source.length ? rest.replace(CUT_ESCAPE, "") : rest;
    const letters = piece
      .replace(/=[ \t]{0,9}(?:\r\n?|\n)/g, "")
      .replace(/=([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    decoded.push(Buffer.from(letters, "latin1"));
    at += piece.length;
    if (slicer.isDue(1 + piece.length / 128)) await slicer.yield();
  }
  return Buffer.concat(decoded);
}

const PIECE = 64 * 1024;
/** The beginning of an escape, or of a line end that is not part of the text, at the end of a piece. */
const CUT_ESCAPE = /=(?:[\da-f]?|[ \t]{0,9}\r?)$/i;

/** A line and those that continue it. */
const HEADER = /^[^\r\n]+(?:(?:\r\n?|\n)[ \t][^\r\n]*)*/gm;
const START = "=\\?([\\w.:+-]{1,40})(?:\\*[\\w-]{0,20})?\\?([bq])\\?";
const WORD_START = new RegExp(START, "i");
/** Of any length: parsers accept more than the standard allows. */
const WORD = new RegExp(`${START}([^?]*)\\?=`, "gi");
/** White space between two words is not shown. */
const BETWEEN_WORDS = /(\?=)\s+(?==\?)/g;
