/** Reads the ToUnicode table of a PDF font: the characters that its codes represent. */

import type { TimeSlicer } from "../time-slicer.ts";
import { splitLigatures } from "./glyph-names.ts";
import { createPdfReader, isWord, type PdfValue } from "./value-reader.ts";

export interface CMap {
  /** The lengths of codes in bytes, the shortest first. */
  lengths: readonly number[];
  /** By code, as it is written in a string. */
  characters: ReadonlyMap<string, string>;
}

const MAX_CODES = 70_000;

export async function readCMap(bytes: Uint8Array, slicer: TimeSlicer): Promise<CMap> {
  const characters = new Map<string, string>();
  const lengths = new Set<number>();
  const reader = createPdfReader(bytes);
  let operands: PdfValue[] = [];
  let left = MAX_CODES;
  for (let value = reader.next(); value !== undefined; value = reader.next()) {
    if (slicer.isDue()) await slicer.yield();
    if (!isWord(value)) {
      if (operands.length < MAX_CODES) operands.push(value);
      continue;
    }
    if (value.word === "endcodespacerange") {
      for (const code of operands) if (isCode(code)) lengths.add(code.length);
    }
    if (value.word === "endbfchar") putCharacters(operands, characters);
    if (value.word === "endbfrange") left = putRanges(operands, characters, left);
    operands = [];
  }
  return { lengths: [...lengths].sort((a, b) => a - b), characters };
}

/** Text of one code: a ligature, or a few letters. Codes may share a long one. */
const isText = (value: PdfValue | undefined): value is string =>
  typeof value === "string" && value.length <= MAX_TEXT_BYTES;
const MAX_TEXT_BYTES = 512;

const isCode = (value: PdfValue | undefined): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= 4;

/** Decodes big-endian UTF-16. */
const decodeUtf16 = (bytes: string): string => {
  const swapped = Buffer.from(bytes, "latin1");
  return (swapped.length % 2 ? swapped.subarray(1) : swapped).swap16().toString("utf16le");
};

function putCharacters(operands: PdfValue[], characters: Map<string, string>) {
  for (let index = 0; index + 1 < operands.length; index += 2) {
    const [code, text] = [operands[index], operands[index + 1]];
    if (isCode(code) && isText(text)) {
      characters.set(code, splitLigatures(decodeUtf16(text)));
    }
  }
}

/** Returns how many codes are left. The cap ends a table that repeats the same range. */
function putRanges(
  operands: PdfValue[],
  characters: Map<string, string>,
  maxCodes: number,
): number {
  let left = maxCodes;
  for (let index = 0; index + 2 < operands.length; index += 3) {
    const [low, high, target] = operands.slice(index, index + 3);
    if (!isCode(low) || !isCode(high)) continue;
    const first = toNumber(low);
    const last = Math.min(toNumber(high), first + 0xffff);
    for (let code = first; code <= last && left > 0; code++, left--) {
      const text = Array.isArray(target) ? target[code - first] : target;
      if (!isText(text)) continue;
      const shift = Array.isArray(target) ? 0 : code - first;
      characters.set(
        toCodeBytes(code, low.length),
        splitLigatures(shiftLast(decodeUtf16(text), shift)),
      );
    }
  }
  return left;
}

const toNumber = (code: string): number =>
  [...code].reduce((number, byte) => number * 256 + byte.charCodeAt(0), 0);

const toCodeBytes = (code: number, length: number): string =>
  String.fromCharCode(
    ...Array.from({ length }, (_, place) => Math.floor(code / 256 ** (length - 1 - place)) & 255),
  );

/** Adds `by` to the last character: that is how a range counts. */
function shiftLast(text: string, by: number): string {
  if (by === 0) return text;
  const last = [...text].at(-1) ?? "";
  const code = (last.codePointAt(0) ?? 0) + by;
  return (
    text.slice(0, text.length - last.length) + (code <= 0x10ffff ? String.fromCodePoint(code) : "")
  );
}
