/** Reads the text of a document. Detects its kind from its bytes and ignores what the sender declares. */
import { type Gunzip, gunzip } from "node:zlib";
import { hasUnknownCharset, readCharsets } from "./declared-charsets.ts";
import { containsBinary, readText } from "./decode-text.ts";
import {
  documentProblem,
  isDocumentProblem,
  MINOR_PROBLEMS,
  type ProblemKind,
} from "./document-problem.ts";
import { detectFileKind, endsAsArchive, isMedia } from "./file-kind.ts";
import { findText } from "./find-text.ts";
import { hasJsonPages, iterateJsonPages, type PageTest } from "./json-pages.ts";
import { readPdfText } from "./pdf/read-pdf-text.ts";
import { readArchiveText } from "./read-archive-text.ts";
import {
  hasTags,
  isHtml,
  isMarkup,
  type PageLine,
  type PagePiece,
  readChangedLines,
  readHtmlText,
} from "./read-html-text.ts";
import { readMimePages, readMimeParts } from "./read-mime-parts.ts";
import { readRtfText } from "./read-rtf-text.ts";
import { isOfficeXml, readXmlText } from "./read-xml-text.ts";
import {
  createReadingBudget,
  overBudgetError,
  type ReadingBudget,
  spendBytes,
} from "./reading-budget.ts";

export type DocumentKind = "text" | "html" | "pdf" | "archive" | "rtf" | "gzip";

export type DocumentText = ReadDocument | { ok: false; reason: string; problem: ProblemKind };

interface ReadDocument {
  ok: true;
  kind: DocumentKind;
  text: string;
  /** Only the beginning was read. */
  truncated: boolean;
  /** Parts that were not read, with the reasons. */
  unread: readonly UnreadPart[];
}

export interface UnreadPart {
  problem: ProblemKind;
  reason: string;
}

/** All documents of one evaluation share `budget`. */
export async function readDocumentText(
  bytes: Uint8Array,
  claims: { content_type: string | null },
  budget: ReadingBudget = createReadingBudget(),
): Promise<DocumentText> {
  try {
    if (budget.characters <= 0) throw overBudgetError();
    const { characters } = budget;
    const part = await readPart(bytes, readCharsets(claims.content_type), budget, 0);
    const read =
      part.kind === "pdf" && !mayBePdf(claims.content_type ?? "") ? addSource(part, bytes) : part;
    const text = read.text.slice(0, characters);
    budget.characters -= text.length;
    // The fail mode applies to a document over the budget.
    const main = read.unread.find(({ problem }) => problem === "over_budget") ?? read.unread[0];
    if (main && text.trim() === "" && main.problem !== "media") {
      return { ok: false, reason: main.reason, problem: main.problem };
    }
    const { kind, cut } = read;
    const unread = hasUnknownCharset(claims.content_type)
      ? [...read.unread, OTHER_BYTES]
      : read.unread;
    return { ok: true, kind, text, unread, truncated: read.text.length > characters || cut };
  } catch (thrown) {
    // Other errors, which a damaged file causes in a parser, are not meaningful to users.
    return isDocumentProblem(thrown)
      ? { ok: false, reason: thrown.message, problem: thrown.kind }
      : { ok: false, reason: "The file is damaged.", problem: "unreadable" };
  }
}

/** Returns whether a file of this type is opened as a PDF; a file of any other type may be read as text. */
function mayBePdf(contentType: string): boolean {
  const [type = ""] = contentType.split(";", 1);
  return type.trim() === "" || /pdf|octet-stream|binary/i.test(type);
}

/** Adds the text around and in the objects of a PDF, which a reader of text finds. */
const addSource = (read: PartText, bytes: Uint8Array): PartText => ({
  ...read,
  text: `${read.text}\n${findText(bytes).join("\n")}`,
});

export interface PartText extends Pick<ReadDocument, "kind" | "text" | "unread"> {
  /** Only the first bytes were decoded. */
  cut: boolean;
}

/** Allows a document in an archive in an archive. */
const MAX_DEPTH = 2;

async function readPart(
  bytes: Uint8Array,
  charsets: readonly string[],
  budget: ReadingBudget,
  depth: number,
): Promise<PartText> {
  if (depth > MAX_DEPTH) throw documentProblem("The document nests archives too deeply.");
  const inside = (part: Uint8Array, declared: readonly string[] = []) =>
    readPart(part, declared, budget, depth + 1);
  /** Adds bytes beside a file of another kind. */
  const addOther = async (
    read: PartText,
    other: Promise<Pick<PartText, "text" | "unread">>,
  ): Promise<PartText> => {
    const { text, unread } = await other.catch(toUnread);
    return {
      ...read,
      text: `${read.text}\n${text}`,
      unread: [...new Set([...read.unread, ...unread])],
    };
  };
  const addArchive = async (read: PartText): Promise<PartText> =>
    endsAsArchive(bytes) ? addOther(read, readArchiveText(bytes, budget, inside)) : read;
  switch (detectFileKind(bytes)) {
    case "pdf": {
      const { text, unread, outside } = await readPdfText(bytes, budget, inside);
      let read: PartText = { kind: "pdf", text, unread, cut: false };
      for (const part of outside)
        read = await addOther(read, readPart(part, charsets, budget, depth));
      return await addArchive(read);
    }
    case "archive":
      return { kind: "archive", cut: false, ...(await readArchiveText(bytes, budget, inside)) };
    case "gzip": {
      const { content, size } = await gunzipWithinBudget(bytes, budget);
      const read = await inside(content);
      const text = [read.text, ...findText(gzipFields(bytes))].join("\n");
      // Python skips zeros and reads on.
      const isWhole = bytes.subarray(size).every((byte) => byte === 0);
      const unread = isWhole ? read.unread : [...read.unread, OTHER_BYTES];
      return { ...read, text, unread, kind: "gzip" };
    }
    case "rtf": {
      const { text, unread } = await readRtfText(bytes, budget, inside);
      const problems = containsBinary(text) ? [...unread, OTHER_BYTES] : unread;
      return await addArchive({ kind: "rtf", text, unread: [...new Set(problems)], cut: false });
    }
    case "old_office":
      throw documentProblem(
        "The file is in an old Office format or encrypted, which is not supported.",
      );
  }
  // A character has at most four bytes.
  const maxBytes = budget.characters * 4;
  const source = readText(bytes.subarray(0, maxBytes), charsets);
  const cut = bytes.length > maxBytes;
  if (source === undefined) {
    throw isMedia(bytes)
      ? documentProblem("The file is an image, audio or video; only text is read.", "media")
      : documentProblem("The file format is not supported.", "binary");
  }
  const { text, hasBinary } = source;
  const kind = isHtml(text) ? "html" : "text";
  const shown = kind === "html" ? await readHtmlText(text, budget.slicer) : text;
  const lines = kind === "html" ? [] : await readFileLines(text, budget);
  const parts = await readMimeParts(text, budget, inside);
  const read = [shown, ...[...lines, ...parts.lines].map((line) => line.text)].join("\n");
  const unread = hasBinary ? [...parts.unread, OTHER_BYTES] : parts.unread;
  return { kind, text: read, unread, cut };
}

/** Reads the pages in the strings of JSON one by one, decoded. */
async function readFileLines(source: string, budget: ReadingBudget): Promise<PageLine[]> {
  if (source.length > budget.characters) return [];
  if (!hasJsonPages(source, isMarkup)) return readOtherLines(source, budget);
  const lines: PageLine[] = [];
  for (const { text } of iterateJsonPages(source, hasTags)) {
    for (const line of await readOtherLines(text, budget, hasTags)) lines.push(line);
  }
  return lines;
}

/**
 * Returns the lines that differ from the source once its markup is read: without the tags, a number may be complete.
 * Text that is no page may contain mails.
 */
async function readOtherLines(
  source: string,
  { slicer, characters }: ReadingBudget,
  isPage: PageTest = isMarkup,
): Promise<PageLine[]> {
  if (source.length > characters) return [];
  const lines = new Map<string, PageLine>();
  // Tags may part equal lines in other places.
  const add = (line: PageLine) =>
    lines.set(`${line.pieces.map(({ start }) => start)}\n${line.text}`, line);
  if (isPage(source)) (await readChangedLines(source, slicer)).forEach(add);
  (await readMimePages(source, slicer)).forEach(add);
  if (isOfficeXml(source)) add({ text: await readXmlText(source, slicer), pieces: [] });
  return [...lines.values()];
}

export interface PageText extends PageLine {
  truncated: boolean;
}

/** Reads the lines and parts of a page that its source does not contain. The source is inspected as text. */
export async function readPageText(
  source: string,
  budget: ReadingBudget,
  isPage?: PageTest,
): Promise<PageText> {
  try {
    const lines = await readOtherLines(source, budget, isPage);
    const inside = (part: Uint8Array, charsets: readonly string[] = []) =>
      readPart(part, charsets, budget, 1);
    const parts = await readMimeParts(source, budget, inside);
    const read = joinLines([...lines, ...parts.lines]);
    const text = read.text.slice(0, budget.characters);
    const truncated =
      source.length > budget.characters ||
      read.text.length > text.length ||
      parts.unread.some(({ problem }) => !MINOR_PROBLEMS.has(problem));
    budget.characters -= text.length;
    return { text, pieces: read.pieces, truncated };
  } catch (thrown) {
    if (!isDocumentProblem(thrown)) throw thrown;
    return { text: "", pieces: [], truncated: true };
  }
}

export function joinLines(lines: readonly PageLine[]): PageLine {
  const pieces: PagePiece[] = [];
  let offset = 0;
  for (const line of lines) {
    for (const { start, end, from, to } of line.pieces)
      pieces.push({ start: offset + start, end: offset + end, from, to });
    offset += line.text.length + 1;
  }
  return { text: lines.map(({ text }) => text).join("\n"), pieces };
}

function toUnread(thrown: unknown): Pick<PartText, "text" | "unread"> {
  if (!isDocumentProblem(thrown)) throw thrown;
  const { kind: problem, message: reason } = thrown;
  // A PDF may contain an archive that is not at its end, and other bytes.
  const isOther = problem === "unreadable" || problem === "binary";
  return { text: "", unread: [isOther ? OTHER_BYTES : { problem, reason }] };
}

const OTHER_BYTES: UnreadPart = {
  problem: "binary",
  reason: "The file contains bytes that are not text.",
};

/** Returns the fields of the header ([RFC 1952](https://www.rfc-editor.org/rfc/rfc1952#section-2.3)): data, name and comment. */
function gzipFields(bytes: Uint8Array): Uint8Array {
  const [flags = 0] = bytes.subarray(3, 4);
  let end = 10;
  if (flags & 4) end += 2 + (bytes[10] ?? 0) + 256 * (bytes[11] ?? 0);
  for (const field of [8, 16]) {
    if (flags & field) end = bytes.indexOf(0, end) + 1;
  }
  return bytes.subarray(10, end);
}

/** Deflate writes at most this many bytes for each byte. */
const MAX_INFLATION = 1032;

/** `size`: number of bytes that were decompressed. */
async function gunzipWithinBudget(
  bytes: Uint8Array,
  budget: ReadingBudget,
): Promise<{ content: Uint8Array; size: number }> {
  if (budget.bytes <= 0) throw overBudgetError();
  const max = Math.min(budget.bytes, bytes.length * MAX_INFLATION);
  const options = { maxOutputLength: max, info: true };
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  gunzip(bytes, options, (error, result) => (error ? reject(error) : resolve(result)));
  const { buffer, engine } = (await promise.catch((thrown: { code?: unknown }) => {
    // The bytes before the damage were inflated.
    budget.bytes -= max;
    if (thrown.code !== "ERR_BUFFER_TOO_LARGE") throw documentProblem("The file is damaged gzip.");
    throw overBudgetError();
  })) as { buffer: Uint8Array; engine: Gunzip };
  spendBytes(budget, buffer.length);
  return { content: buffer, size: engine.bytesWritten };
}
