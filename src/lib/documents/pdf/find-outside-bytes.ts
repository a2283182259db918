/** Finds the bytes of a PDF that are not part of its structure: before it, after it, and between its objects. */
import type { PdfDict, PdfValue } from "./value-reader.ts";

/** Byte range of an object or trailer. */
export interface Extent {
  from: number;
  to: number;
  trailer?: PdfDict;
}

/** Returns up to three parts. Omits white space, and a few bytes, which many files have at their end. */
export function findOutsideBytes(file: Buffer, extents: readonly Extent[]): Buffer[] {
  const gaps: string[] = [];
  let at = 0;
  for (const { from, to, trailer } of extents.toSorted((one, other) => one.from - other.from)) {
    gaps.push(file.toString("latin1", at, Math.max(at, from)));
    if (trailer) gaps.push(...listStrings(trailer));
    at = Math.max(at, to);
  }
  const [before = "", ...between] = gaps;
  const after = file.toString("latin1", at);
  return [before, between.join("\n"), after]
    .map((part) => part.replace(STRUCTURE, " ").replace(LEADING_SPACE, ""))
    .filter((part) => part.length >= MIN_BYTES)
    .map((part) => Buffer.from(part, "latin1"));
}

/** Returns the strings of a trailer, except for ids and keys. */
function listStrings(value: PdfValue): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listStrings);
  if (!(value instanceof Map)) return [];
  return [...value].flatMap(([key, item]) => (BYTES.has(key) ? [] : listStrings(item)));
}
const BYTES = new Set(["ID", "Encrypt"]);

/** As for runs of text in binary fields. */
const MIN_BYTES = 8;
const LEADING_SPACE = /^[\s\0]+/;
/**
 * The words and tables between objects, and the header with comments that mark the file as binary. The numbers of a
 * table are too short for a card.
 */
const STRUCTURE = new RegExp(
  [
    "endstream|endobj|%%EOF",
    "%PDF-(?:\\d\\.\\d)?(?:\\s{1,4}% ?[\\x80-\\xff]{1,10}){0,2}",
    "startxref\\s{1,4}\\d{1,10}(?!\\d)",
    "xref\\s{1,4}\\d{1,6}\\s{1,4}\\d{1,6}(?!\\d)",
    "(?<!\\d)\\d{1,6} \\d{1,6}(?=\\s{1,4}0\\d{9} \\d{5} ?[nf])",
    "(?<!\\d)0\\d{9} \\d{5} ?[nf]",
  ].join("|"),
  "g",
);
