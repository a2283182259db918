/** Reads the files in a document, of any kind. */
import { isDocumentProblem } from "./document-problem.ts";
import type { PartText, UnreadPart } from "./read-document-text.ts";
import type { ReadingBudget } from "./reading-budget.ts";

export interface EncodedPart {
  decode: () => Uint8Array | Promise<Uint8Array>;
  /** Declared beside the part. */
  charsets?: readonly string[];
}

export type ReadPart = (bytes: Uint8Array, charsets?: readonly string[]) => Promise<PartText>;

/** Begins each text with a line end. Reports a problem that several parts have once. */
export async function readParts(
  parts: Iterable<EncodedPart>,
  { slicer, characters }: Pick<ReadingBudget, "slicer" | "characters">,
  readPart: ReadPart,
): Promise<{ text: string; unread: UnreadPart[] }> {
  const unread = new Map<string, UnreadPart>();
  let text = "";
  for (const { decode, charsets } of parts) {
    if (text.length > characters) break;
    try {
      const bytes = await decode();
      if (slicer.isDue(1 + bytes.length / 128)) await slicer.yield();
      const read = await readPart(bytes, charsets);
      text += `\n${read.text}`;
      for (const each of read.unread) unread.set(each.reason, each);
    } catch (thrown) {
      if (!isDocumentProblem(thrown)) throw thrown;
      unread.set(thrown.message, { problem: thrown.kind, reason: thrown.message });
      if (thrown.kind === "over_budget") break;
    }
  }
  return { text, unread: [...unread.values()] };
}
