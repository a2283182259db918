/** Reads what a mail or web archive contains in base64, quoted-printable or uuencode: parts (RFC 2045) and words of headers (RFC 2047). */
import { readOwnCharsets } from "./declared-charsets.ts";
import { decodeText } from "./decode-text.ts";
import { decodeUuencoded, findUuencodedFiles, hasUuencodedFile } from "./decode-uu.ts";
import { BLANK_LINE, decodeWords, hasEncodedWords, unfoldLines, unquoted } from "./decode-words.ts";
import { detectFileKind } from "./file-kind.ts";
import { findText } from "./find-text.ts";
import type { PartText, UnreadPart } from "./read-document-text.ts";
import { type EncodedPart, type ReadPart, readParts } from "./read-parts.ts";
import type { ReadingBudget } from "./reading-budget.ts";
import type { TimeSlicer } from "./time-slicer.ts";

/** Returns empty text without such parts. `readPart` reads one part, of any kind. */
export async function readMimeParts(
  source: string,
  budget: ReadingBudget,
  readPart: ReadPart,
): Promise<Pick<PartText, "text" | "unread">> {
  const parts = await readParts(encodedParts(source, budget), budget, readPart);
  const own = hasUnknownEncoding(source) ? [UNKNOWN] : [];
  let { text } = parts;
  // A line of quoted-printable text may begin like a delimiter, such as the line before a signature.
  if (QUOTED.test(source)) text += `\n${decodeText(await unquoted(source, budget.slicer)) ?? ""}`;
  for (const line of await unfoldLines(source, budget.slicer)) text += `\n${line}`;
  for (const header of await decodeWords(source, budget.slicer)) text += `\n${header}`;
  return { text, unread: [...new Set([...own, ...parts.unread])] };
}

/** Returns whether text has a header of such a part, or a header with such words. */
export const hasMimeParts = (text: string): boolean =>
  hasEncodedParts(text) || hasEncodedWords(text);

export const hasEncodedParts = (text: string): boolean =>
  text.search(ENCODING) >= 0 || hasUnknownEncoding(text) || hasUuencodedFile(text);

/** Files in uuencode are found by their first line. */
const hasUnknownEncoding = (text: string): boolean =>
  UNKNOWN_ENCODING.test(text) || (UUENCODE.test(text) && !hasUuencodedFile(text));

const UNKNOWN: UnreadPart = {
  problem: "binary",
  reason: "A part of the mail has an unknown encoding.",
};

function* encodedParts(source: string, budget: ReadingBudget): Generator<EncodedPart> {
  yield* partsWithHeader(source, budget.slicer);
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
    const block = source.slice(last, start).split(BLANK_LINE).at(-1) ?? "";
    const charsets = readOwnCharsets(block);
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
