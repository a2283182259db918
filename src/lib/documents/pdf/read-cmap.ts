/** Which characters the codes of a PDF font mean: the font's own ToUnicode table. */
import type { TimeSlicer } from "../time-slicer.ts";
import { createPdfReader, isWord, type PdfValue } from "./value-reader.ts";

export interface CMap {
  /** Lengths of a code in bytes that the table knows, the shortest first. */
  lengths: readonly number[];
  /** By the code as it stands in a string. */
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

const isCode = (value: PdfValue | undefined): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= 4;

/** UTF-16, big end first. */
const unicode = (bytes: string): string => {
  const swapped = Buffer.from(bytes, "latin1");
  return (swapped.length % 2 ? swapped.subarray(1) : swapped).swap16().toString("utf16le");
};

function putCharacters(operands: PdfValue[], characters: Map<string, string>) {
  for (let index = 0; index + 1 < operands.length; index += 2) {
    const [code, text] = [operands[index], operands[index + 1]];
    if (isCode(code) && typeof text === "string") characters.set(code, unicode(text));
  }
}

/** Answers how many codes are left: the same range again and again would take for ever. */
function putRanges(
  operands: PdfValue[],
  characters: Map<string, string>,
  mostCodes: number,
): number {
  let left = mostCodes;
  for (let index = 0; index + 2 < operands.length; index += 3) {
    const [low, high, target] = operands.slice(index, index + 3);
    if (!isCode(low) || !isCode(high)) continue;
    const first = codeNumber(low);
    const last = Math.min(codeNumber(high), first + 0xffff);
    for (let code = first; code <= last && left > 0; code++, left--) {
      const text = Array.isArray(target) ? target[code - first] : target;
      if (typeof text !== "string") continue;
      const shift = Array.isArray(target) ? 0 : code - first;
      characters.set(codeBytes(code, low.length), shifted(unicode(text), shift));
    }
  }
  return left;
}

const codeNumber = (code: string): number =>
  [...code].reduce((number, byte) => number * 256 + byte.charCodeAt(0), 0);

const codeBytes = (code: number, length: number): string =>
  String.fromCharCode(
    ...Array.from({ length }, (_, place) => Math.floor(code / 256 ** (length - 1 - place)) & 255),
  );

/** A range counts up in its last character. */
function shifted(text: string, by: number): string {
  if (by === 0) return text;
  const last = [...text].at(-1) ?? "";
  const code = (last.codePointAt(0) ?? 0) + by;
  return (
    text.slice(0, text.length - last.length) + (code <= 0x10ffff ? String.fromCodePoint(code) : "")
  );
}
