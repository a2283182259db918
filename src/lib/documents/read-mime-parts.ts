/** Reads the parts of a mail or web archive that are in base64 or quoted-printable (MIME, RFC 2045). */
import { decodeText } from "./decode-text.ts";
import { isDocumentProblem } from "./document-problem.ts";
import type { PartText, UnreadPart } from "./read-document-text.ts";
import type { ReadingBudget } from "./reading-budget.ts";

/** Returns empty text without such parts. `readPart` reads one part, of any kind. */
export async function readMimeParts(
  source: string,
  budget: ReadingBudget,
  readPart: (bytes: Uint8Array) => Promise<PartText>,
): Promise<Pick<PartText, "text" | "unread">> {
  const unread = new Map<string, UnreadPart>();
  let text = "";
  for (const bytes of encodedParts(source)) {
    if (text.length > budget.characters) break;
    try {
      const part = await readPart(bytes);
      text += `\n${part.text}`;
      for (const each of part.unread) unread.set(each.reason, each);
    } catch (thrown) {
      if (!isDocumentProblem(thrown)) throw thrown;
      unread.set(thrown.message, { problem: thrown.kind, reason: thrown.message });
      if (thrown.kind === "over_budget") break;
    }
  }
  // A line of quoted-printable text may begin like a delimiter, such as the line before a signature.
  if (QUOTED.test(source)) text += `\n${decodeText(unquoted(source), null) ?? ""}`;
  return { text, unread: [...unread.values()] };
}

/** Returns whether text has a header of such a part. */
export const hasMimeParts = (text: string): boolean => text.search(ENCODING) >= 0;

/** A part follows the blank line after its header block, up to a line that starts like a delimiter. */
function* encodedParts(source: string): Generator<Uint8Array> {
  const header = new RegExp(ENCODING);
  const blank = new RegExp(BLANK_LINE);
  const delimiter = new RegExp(DELIMITER);
  for (let found = header.exec(source); found; found = header.exec(source)) {
    blank.lastIndex = found.index;
    if (!blank.test(source)) return;
    delimiter.lastIndex = blank.lastIndex - 1;
    const end = delimiter.exec(source)?.index ?? source.length;
    const body = source.slice(blank.lastIndex, end);
    yield /^b/i.test(found[1] ?? "") ? Buffer.from(body, "base64") : unquoted(body);
    header.lastIndex = end;
  }
}

// Linear: white space after one name is not searched again from another.
const ENCODING = /^content-transfer-encoding:\s*(base64|quoted-printable)\b/gim;
const QUOTED = /^content-transfer-encoding:\s*quoted-printable\b/im;
/** Mail parsers accept a carriage return as the end of a line. */
const BLANK_LINE = /(?:\r\n|\n|\r(?!\n)){2}/g;
const DELIMITER = /[\r\n]--/g;

const unquoted = (body: string): Uint8Array =>
  Buffer.from(
    Buffer.from(body)
      .toString("latin1")
      .replace(/=[ \t]{0,9}(?:\r\n?|\n)/g, "")
      .replace(/=([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
