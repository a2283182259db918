/** What does a document say? Its kind is told by its bytes; what a sender calls it counts for nothing. */
import { containerKind } from "./container-kind.ts";
import { charsetOf, decodeText, isBinary } from "./decode-text.ts";
import { documentProblem, isDocumentProblem } from "./document-problem.ts";
import { docxText } from "./docx-text.ts";
import { htmlText } from "./html-text.ts";
import { pdfText } from "./pdf-text.ts";

export type DocumentKind = "text" | "html" | "pdf" | "docx";

export type DocumentText = ReadDocument | { ok: false; reason: string };

interface ReadDocument {
  ok: true;
  kind: DocumentKind;
  text: string;
  /** Only its beginning was read. */
  truncated: boolean;
}

const MOST_CHARACTERS = 2_000_000;

export async function documentText(
  bytes: Uint8Array,
  claims: { content_type: string | null },
): Promise<DocumentText> {
  try {
    const kind = kindOf(bytes);
    const text = await READERS[kind](bytes, charsetOf(claims.content_type));
    return {
      ok: true,
      text: text.slice(0, MOST_CHARACTERS),
      kind,
      truncated: text.length > MOST_CHARACTERS || bytes.length > MOST_BYTES[kind],
    };
  } catch (thrown) {
    // What else a broken file makes a parser throw says nothing to anyone.
    return {
      ok: false,
      reason: isDocumentProblem(thrown) ? thrown.message : "The file is damaged.",
    };
  }
}

/** Of a text only its beginning is decoded: a character has at most four bytes. */
const TEXT_BYTES = MOST_CHARACTERS * 4;
const MOST_BYTES: Record<DocumentKind, number> = {
  text: TEXT_BYTES,
  html: TEXT_BYTES,
  pdf: Number.POSITIVE_INFINITY,
  docx: Number.POSITIVE_INFINITY,
};

const READERS: Record<
  DocumentKind,
  (bytes: Uint8Array, charset: string | null) => string | Promise<string>
> = {
  text: beginning,
  html: (bytes, charset) => htmlText(beginning(bytes, charset)),
  pdf: (bytes) => pdfText(bytes, MOST_CHARACTERS),
  docx: (bytes) => docxText(bytes, MOST_CHARACTERS),
};

function beginning(bytes: Uint8Array, charset: string | null): string {
  return decodeText(bytes.subarray(0, TEXT_BYTES), charset);
}

function kindOf(bytes: Uint8Array): DocumentKind {
  const container = containerKind(bytes);
  if (container === "pdf") return "pdf";
  if (container === "archive") return "docx";
  if (container === "old_office") {
    throw documentProblem("The file is of an old Office format, or an encrypted new one.");
  }
  if (isBinary(bytes)) throw documentProblem("The file is of a kind that is not read.");
  return HTML.test(decodeText(bytes.subarray(0, 1024), null)) ? "html" : "text";
}

/** A text that only mentions tags stays a text: nothing of it may be dropped. */
const HTML =
  /^\s*<(?:!doctype html|html|head|body|title|meta|script|style|div|table|p|h1|!--)[\s>-]/i;
