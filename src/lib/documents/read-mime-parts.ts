/** Reads what a mail or web archive contains: words of headers (RFC 2047), and parts (RFC 2045) that are encoded or not text. */
import { readOwnCharsets } from "./declared-charsets.ts";
import { decodeText } from "./decode-text.ts";
import { decodeUuencoded, findUuencodedFiles, hasUuencodedFile } from "./decode-uu.ts";
import { BLANK_LINE, decodeWords, hasEncodedWords, unfoldLines, unquoted } from "./decode-words.ts";
import { detectFileKind } from "./file-kind.ts";
import { findText } from "./find-text.ts";
import type { PartText, UnreadPart } from "./read-document-text.ts";
import { type PageLine, readChangedLines } from "./read-html-text.ts";
import { type EncodedPart, type ReadPart, readParts } from "./read-parts.ts";
import type { ReadingBudget } from "./reading-budget.ts";
import type { TimeSlicer } from "./time-slicer.ts";

interface MimeText extends Pick<PartText, "unread"> {
  /** Text that the source contains in another form. */
  lines: PageLine[];
}

/** Returns no lines without such parts. `readPart` reads one part, of any kind. */
export async function readMimeParts(
  source: string,
  budget: ReadingBudget,
  readPart: ReadPart,
): Promise<MimeText> {
  const parts = await readParts(allParts(source, budget), budget, readPart);
  const own = hasUnknownEncoding(source) ? [UNKNOWN] : [];
  const lines: PageLine[] = parts.text === "" ? [] : [{ text: parts.text.slice(1), pieces: [] }];
  const add = (text: string, from: number, to: number) =>
    lines.push({ text, pieces: [{ start: 0, end: text.length, from, to }] });
  // A line of quoted-printable text may begin like a delimiter, such as the line before a signature.
  if (QUOTED.test(source))
    add(decodeText(await unquoted(source, budget.slicer)) ?? "", 0, source.length);
  for (const { text, from, to } of await unfoldLines(source, budget.slicer)) add(text, from, to);
  for (const text of await decodeWords(source, budget.slicer)) lines.push({ text, pieces: [] });
  return { lines, unread: [...new Set([...own, ...parts.unread])] };
}

/** Returns whether text has a header of such a part, or a header with such words. */
export const hasMimeParts = (text: string): boolean =>
  hasEncodedParts(text) || hasEncodedWords(text) || !findDocuments(text).next().done;

export const hasEncodedParts = (text: string): boolean =>
  text.search(ENCODING) >= 0 || hasUnknownEncoding(text) || hasUuencodedFile(text);

/** Files in uuencode are found by their first line. */
const hasUnknownEncoding = (text: string): boolean =>
  UNKNOWN_ENCODING.test(text) || (UUENCODE.test(text) && !hasUuencodedFile(text));

const UNKNOWN: UnreadPart = {
  problem: "binary",
  reason: "A part of the mail has an unknown encoding.",
};

function* allParts(source: string, budget: ReadingBudget): Generator<EncodedPart> {
  yield* partsWithHeader(source, budget.slicer);
  for (const { kind, start, ends } of findDocuments(source)) {
    if (kind === "page") continue;
    for (const end of ends)
      yield { decode: () => Buffer.from(source.slice(start, end).trimStart()) };
  }
  if (!hasUuencodedFile(source)) return;
  // A file needs no header block of its own.
  const charsets = readOwnCharsets(source);
  for (const lines of findUuencodedFiles(source)) {
    yield { decode: () => decodeUuencoded(lines, budget, { acceptsAnySign: false }), charsets };
    if (/[^\s -`]/.test(lines))
      yield { decode: () => decodeAnySigns(lines, charsets, budget), charsets };
  }
}

/** Prose that begins like uuencode decodes to bytes that are not text. Only the text in them is read. */
async function decodeAnySigns(
  lines: string,
  charsets: readonly string[],
  budget: ReadingBudget,
): Promise<Uint8Array> {
  const bytes = await decodeUuencoded(lines, budget, { acceptsAnySign: true });
  const isFile = detectFileKind(bytes) !== undefined || decodeText(bytes, charsets) !== undefined;
  return isFile ? bytes : Buffer.from(findText(bytes).join("\n"));
}

/** A part follows its header block, up to a line that starts like a delimiter. */
function* partsWithHeader(source: string, slicer: TimeSlicer): Generator<EncodedPart> {
  const header = new RegExp(ENCODING);
  const blockEnd = new RegExp(BLOCK_END);
  const delimiter = new RegExp(DELIMITER);
  let found = header.exec(source);
  let last = 0;
  while (found) {
    blockEnd.lastIndex = header.lastIndex;
    if (!blockEnd.test(source)) return;
    const start = blockEnd.lastIndex;
    const charsets = readOwnCharsets(lastBlock(source.slice(last, start)));
    // Parsers disagree on which of several headers counts.
    const encodings = new Set<string>();
    for (; found && found.index < start; found = header.exec(source)) {
      encodings.add(found[1]?.toLowerCase() ?? "");
    }
    delimiter.lastIndex = start - 1;
    const end = delimiter.exec(source)?.index ?? source.length;
    const part = source.slice(start - 1, end);
    const blank = BLANK_LINE.exec(part);
    const afterBlank = blank ? part.slice(blank.index + blank[0].length) : "";
    for (const body of new Set([part.slice(1).trimStart(), afterBlank.trimStart()])) {
      if (encodings.has("base64")) yield { decode: () => Buffer.from(body, "base64"), charsets };
      if (encodings.has("quoted-printable"))
        yield { decode: () => unquoted(body, slicer), charsets };
    }
    last = end;
    header.lastIndex = end;
    found = header.exec(source);
  }
}

/** A part that is not encoded, and begins like a document of another kind than text, or is declared as a page. */
interface PlainDocument {
  kind: "page" | "pdf" | "rtf";
  start: number;
  /** Up to a line that starts like a delimiter. The first one of a kind also up to the end: its own lines may start so. */
  ends: Set<number>;
}

function* findDocuments(source: string): Generator<PlainDocument> {
  const header = new RegExp(PART_START);
  const blockEnd = new RegExp(BLOCK_END);
  const delimiter = new RegExp(DELIMITER);
  const lastEnds = new Map<string, number>();
  let found = header.exec(source);
  let bodyStart = 0;
  while (found) {
    blockEnd.lastIndex = header.lastIndex;
    if (!blockEnd.test(source)) return;
    const before = source.slice(bodyStart, blockEnd.lastIndex);
    bodyStart = header.lastIndex = blockEnd.lastIndex;
    found = header.exec(source);
    const blank = BLANK_LINE.exec(source.slice(bodyStart - 1, found?.index));
    const afterBlank = blank ? bodyStart - 1 + blank.index + blank[0].length : bodyStart;
    for (const start of new Set([bodyStart, afterBlank])) {
      const headers = lastBlock(before);
      const kind = kindAt(source, start) ?? (PAGE_TYPE.test(headers) ? "page" : undefined);
      const lastEnd = kind && lastEnds.get(kind);
      // A page without headers is read with the text around it.
      if (!kind || (kind === "page" && !/^content-/im.test(headers))) continue;
      if ((lastEnd ?? 0) > start || headers.search(ENCODING) >= 0) continue;
      delimiter.lastIndex = start - 1;
      const end = delimiter.exec(source)?.index ?? source.length;
      lastEnds.set(kind, end);
      yield { kind, start, ends: new Set(lastEnd === undefined ? [end, source.length] : [end]) };
    }
  }
}

function kindAt(source: string, start: number): PlainDocument["kind"] | undefined {
  for (const [kind, pattern] of STARTS) {
    pattern.lastIndex = start;
    if (pattern.test(source)) return kind;
  }
  return undefined;
}

/** RTF is the first word, after any signs. */
const STARTS = [
  ["page", /\s*<[?!a-z]/iy],
  ["pdf", /\s*%PDF-/y],
  ["rtf", /[^a-z\d]{0,200}\\rt/iy],
] as const;

const lastBlock = (text: string): string => text.split(BLANK_LINE).at(-1) ?? "";

/** Returns the lines of parts in HTML or XML that differ from the source, which is inspected as text. */
export async function readMimePages(source: string, slicer: TimeSlicer): Promise<PageLine[]> {
  const lines: PageLine[] = [];
  for (const { kind, start, ends } of findDocuments(source)) {
    if (slicer.isDue()) await slicer.yield();
    if (kind !== "page") continue;
    for (const end of ends) {
      for (const { text, pieces } of await readChangedLines(source.slice(start, end), slicer)) {
        const placed = pieces.map(({ from, to, ...piece }) => ({
          ...piece,
          from: from + start,
          to: to + start,
        }));
        lines.push({ text, pieces: placed });
      }
    }
  }
  return lines;
}

const PAGE_TYPE = /^content-type[ \t]*:[\s"]*[\w.+-]{1,99}\/[\w.+-]{0,99}(?:html|xml)/im;
/** A header block, or the delimiter before a part, which needs no headers. */
const PART_START = /^(?:content-(?:type|transfer-encoding)[ \t]*:|--\S)/gim;
// Linear: white space after one name is not searched again from another. Parsers accept comments, quotes and `x-`.
const NAME = '^content-transfer-encoding[ \\t]*:[\\s"]*(?:\\([^()\\r\\n]*\\)[\\s"]*)*(?:x-)?';
const ENCODING = new RegExp(`${NAME}(base64|quoted-printable)\\b`, "gim");
const KNOWN = "(?:base64|quoted-printable|uuencode|uue)\\b";
const UNKNOWN_ENCODING = new RegExp(`${NAME}(?<=x-)(?!${KNOWN})\\w`, "im");
const UUENCODE = new RegExp(`${NAME}uue(?:ncode)?\\b`, "im");
const QUOTED = new RegExp(`${NAME}quoted-printable\\b`, "im");
/** The end of a line before one that is not a header: usually a blank line, but some parsers need none. */
const BLOCK_END = /(?:\r\n|\n|\r(?!\n))(?![^\s:-][^\s:]*[ \t]*:|[ \t])/g;
const DELIMITER = /[\r\n]--/g;
