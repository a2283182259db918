/** Reads the text of an RTF document, with all its groups, also hidden ones, and the files in it. */
import { viewBytes } from "../view-bytes.ts";
import { findText } from "./find-text.ts";
import type { PartText, UnreadPart } from "./read-document-text.ts";
import { type ReadPart, readParts } from "./read-parts.ts";
import type { ReadingBudget } from "./reading-budget.ts";
import { type RtfFile, walkRtf } from "./walk-rtf.ts";

/** `readPart` reads a file in the document, of any kind. */
export async function readRtfText(
  bytes: Uint8Array,
  budget: ReadingBudget,
  readPart: ReadPart,
): Promise<Pick<PartText, "text" | "unread">> {
  const { text, files, has_unknown_letters, is_ambiguous } = await walkRtf(
    bytes,
    budget.characters,
    budget.slicer,
  );
  const readAll = (picked: RtfFile[]) =>
    readParts(
      picked.map((file) => ({ decode: () => toBytes(file) })),
      budget,
      readPart,
    );
  const filled = files.filter(({ hex, raw }) => hex.length + raw.length > 0);
  const objects = await readAll(filled.filter(({ is_picture }) => !is_picture));
  const pictures = await readAll(filled.filter(({ is_picture }) => is_picture));
  const unread = [
    ...objects.unread,
    ...pictures.unread.filter(({ problem }) => problem === "over_budget"),
  ];
  if (is_ambiguous) unread.push(AMBIGUOUS);
  if (has_unknown_letters) unread.push(UNKNOWN_LETTERS);
  if (filled.some(({ is_picture }) => is_picture)) unread.push(PICTURES);
  // Readers that expect another start show the source.
  const source = hasUsualStart(bytes) ? "" : ["", ...findText(bytes)].join("\n");
  return { text: text + objects.text + pictures.text + source, unread };
}

const hasUsualStart = (bytes: Uint8Array): boolean =>
  viewBytes(bytes.subarray(0, 4)).toString("latin1") === "{\\rt";

const toBytes = ({ hex, raw }: RtfFile): Uint8Array =>
  Buffer.concat([Buffer.from(hex.join(""), "hex"), Buffer.from(raw.join(""), "latin1")]);

const AMBIGUOUS: UnreadPart = {
  problem: "unreadable",
  reason: "The RTF file has text in places where readers disagree.",
};
const UNKNOWN_LETTERS: UnreadPart = {
  problem: "binary",
  reason: "The RTF file contains letters in an unknown code page.",
};
const PICTURES: UnreadPart = {
  problem: "media",
  reason: "The RTF file contains pictures, of which no text is read.",
};
