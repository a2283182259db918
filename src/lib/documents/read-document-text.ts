/** Reads the text of a document. Its bytes tell its kind; what the sender calls it counts for nothing. */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { charsetOf, decodeText } from "./decode-text.ts";
import { documentProblem, isDocumentProblem, type ProblemKind } from "./document-problem.ts";
import { fileKind, isMedia } from "./file-kind.ts";
import { pdfText } from "./pdf/read-pdf-text.ts";
import { archiveText } from "./read-archive-text.ts";
import { htmlText } from "./read-html-text.ts";
import { rtfText } from "./read-rtf-text.ts";
import { overBudget, type ReadingBudget, spendBytes, startBudget } from "./reading-budget.ts";

export type DocumentKind = "text" | "html" | "pdf" | "archive" | "rtf" | "gzip";

export type DocumentText = ReadDocument | { ok: false; reason: string; problem: ProblemKind };

interface ReadDocument {
  ok: true;
  kind: DocumentKind;
  text: string;
  /** Only its beginning was read. */
  truncated: boolean;
  /** Parts that were not read, each with why. */
  unread: readonly Unread[];
}

export interface Unread {
  problem: ProblemKind;
  reason: string;
}

/** All documents of one evaluation share `budget`. */
export async function documentText(
  bytes: Uint8Array,
  claims: { content_type: string | null },
  budget: ReadingBudget = startBudget(),
): Promise<DocumentText> {
  try {
    if (budget.characters <= 0) throw overBudget();
    const { characters } = budget;
    const read = await readDocument(bytes, charsetOf(claims.content_type), budget, 0);
    const text = read.text.slice(0, characters);
    budget.characters -= text.length;
    const [first] = read.unread;
    if (first && text.trim() === "" && first.problem !== "media") {
      return { ok: false, reason: first.reason, problem: first.problem };
    }
    const { kind, unread, cut } = read;
    return { ok: true, kind, text, unread, truncated: read.text.length > characters || cut };
  } catch (thrown) {
    // Other errors that a broken file causes in a parser mean nothing to the reader of the message.
    return isDocumentProblem(thrown)
      ? { ok: false, reason: thrown.message, problem: thrown.kind }
      : { ok: false, reason: "The file is damaged.", problem: "unreadable" };
  }
}

export interface Reading extends Pick<ReadDocument, "kind" | "text" | "unread"> {
  /** Whether only the first bytes were decoded. */
  cut: boolean;
}

/** A document in an archive in an archive is the deepest. */
const MAX_DEPTH = 2;

async function readDocument(
  bytes: Uint8Array,
  charset: string | null,
  budget: ReadingBudget,
  depth: number,
): Promise<Reading> {
  if (depth > MAX_DEPTH) throw documentProblem("The document nests archives too deep.");
  const inside = (part: Uint8Array) => readDocument(part, null, budget, depth + 1);
  switch (fileKind(bytes)) {
    case "pdf":
      return { kind: "pdf", cut: false, ...(await pdfText(bytes, budget, inside)) };
    case "archive":
      return { kind: "archive", cut: false, ...(await archiveText(bytes, budget, inside)) };
    case "gzip":
      return { ...(await inside(await unzipped(bytes, budget))), kind: "gzip" };
    case "rtf":
      return whole("rtf", await rtfText(bytes, budget.pace));
    case "old_office":
      throw documentProblem("The file is of an old Office format, or an encrypted new one.");
  }
  // A character has at most four bytes.
  const most = budget.characters * 4;
  const text = decodeText(bytes.subarray(0, most), charset);
  const cut = bytes.length > most;
  if (text === undefined) {
    throw isMedia(bytes)
      ? documentProblem("The file is a picture, a sound or a film; only text is read.", "media")
      : documentProblem("The file is of a kind that is not read.", "binary");
  }
  return HTML.test(text)
    ? { ...whole("html", await htmlText(text, budget.pace)), cut }
    : { ...whole("text", text), cut };
}

const whole = (kind: DocumentKind, text: string): Reading => ({
  kind,
  text,
  unread: [],
  cut: false,
});

const gunzipAsync = promisify(gunzip);

async function unzipped(bytes: Uint8Array, budget: ReadingBudget): Promise<Uint8Array> {
  const content = await gunzipAsync(bytes, { maxOutputLength: Math.max(1, budget.bytes) }).catch(
    (thrown: { code?: unknown }) => {
      if (thrown.code !== "ERR_BUFFER_TOO_LARGE")
        throw documentProblem("The file is damaged gzip.");
      budget.bytes = 0;
      throw overBudget();
    },
  );
  spendBytes(budget, content.length);
  return content;
}

/** A text that only mentions tags stays a text: nothing of it may be dropped. */
const HTML =
  /^\s*<(?:!doctype html|html|head|body|title|meta|script|style|div|table|p|h1|!--)[\s>-]/i;
