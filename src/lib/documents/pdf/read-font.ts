/** Reads a PDF font: converts strings of a page to text, with the width of each glyph. */

import type { TimeSlicer } from "../time-slicer.ts";
import { toCharacter } from "./glyph-names.ts";
import { type CMap, readCMap } from "./read-cmap.ts";
import { isStream, type PdfObjects } from "./read-objects.ts";
import { standardWidths } from "./standard-widths.ts";
import { isName, type PdfDict } from "./value-reader.ts";

export interface Glyph {
  /** undefined when the font does not define it. */
  text: string | undefined;
  /** In thousandths of the font's size. */
  width: number;
  /** Word spacing is added to it. */
  space: boolean;
}

export type PdfFont = (codes: string) => Glyph[];

/** Viewers use a font of their own if a page names none, or one that does not exist. */
export const createDefaultFont = (objects: PdfObjects): PdfFont =>
  simpleFont(objects, new Map(), undefined);

export async function readFont(
  objects: PdfObjects,
  font: PdfDict,
  slicer: TimeSlicer,
): Promise<PdfFont> {
  const toUnicode = objects.resolve(font.get("ToUnicode"));
  const map = isStream(toUnicode)
    ? await readCMap(await objects.bytes(toUnicode), slicer)
    : undefined;
  const subtype = font.get("Subtype");
  return isName(subtype) && subtype.name === "Type0"
    ? compositeFont(objects, font, map)
    : simpleFont(objects, font, map);
}

/** Font with codes of one byte. */
function simpleFont(objects: PdfObjects, font: PdfDict, map: CMap | undefined): PdfFont {
  const letters = simpleEncoding(objects, font);
  const widths = numbers(objects.resolve(font.get("Widths")));
  const first = numeric(objects.resolve(font.get("FirstChar")), 0);
  const name = objects.resolve(font.get("BaseFont"));
  const standard = standardWidths(isName(name) ? name.name : "");
  // A Type 3 font has its own units.
  const matrix = numbers(objects.resolve(font.get("FontMatrix")));
  const scale = (matrix[0] ?? 0.001) * 1000;
  const showsLetters = !hasOwnShapes(objects, font);
  const glyphs = Array.from({ length: 256 }, (_, code): Glyph => {
    const letter = letters[code];
    const mapped = map?.characters.get(String.fromCharCode(code));
    const width = (widths[code - first] ?? standard(letter) ?? DEFAULT_WIDTH) * scale;
    // Viewers show another letter than the one that is copied.
    const isFalse = showsLetters && mapped !== undefined && mayMislead(letter, mapped);
    return { text: isFalse ? undefined : (mapped ?? letter), width, space: code === 32 };
  });
  return (codes) => Array.from(codes, (code) => glyphs[code.charCodeAt(0)] ?? UNKNOWN);
}

/** Returns whether a font draws its own glyphs or symbols, so that its codes need not be those of letters. */
function hasOwnShapes(objects: PdfObjects, font: PdfDict): boolean {
  const name = objects.resolve(font.get("BaseFont"));
  if (isName(name) && SYMBOLS.test(name.name)) return true;
  const descriptor = objects.dict(font.get("FontDescriptor"));
  const files = ["FontFile", "FontFile2", "FontFile3"];
  return font.has("CharProcs") || files.some((name) => descriptor.has(name));
}

const SYMBOLS = /^(?:Symbol|ZapfDingbats|Wingdings|Webdings)/;

const mayMislead = (letter: string | undefined, mapped: string): boolean =>
  letter !== undefined && /^[0-9A-Za-z]$/.test(letter) && mapped !== letter;

const DEFAULT_WIDTH = 500;
const UNKNOWN: Glyph = { text: undefined, width: DEFAULT_WIDTH, space: false };

function simpleEncoding(objects: PdfObjects, font: PdfDict): (string | undefined)[] {
  const encoding = objects.resolve(font.get("Encoding"));
  const described = encoding instanceof Map ? encoding : undefined;
  const start = described ? objects.resolve(described.get("BaseEncoding")) : encoding;
  const charset = isName(start) && start.name === "MacRomanEncoding" ? "macintosh" : "windows-1252";
  const letters: (string | undefined)[] = [...new TextDecoder(charset).decode(ALL_BYTES)];
  const differences = described && objects.resolve(described.get("Differences"));
  let code = 0;
  for (const item of Array.isArray(differences) ? differences : []) {
    if (typeof item === "number") code = item;
    else if (isName(item) && code < 256) letters[code++] = toCharacter(item.name);
  }
  return letters;
}

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, code) => code);

/** Font with codes of several bytes, as most programs write today. */
function compositeFont(objects: PdfObjects, font: PdfDict, map: CMap | undefined): PdfFont {
  const descendants = objects.resolve(font.get("DescendantFonts"));
  const inner = objects.dict(Array.isArray(descendants) ? descendants[0] : undefined);
  const widths = compositeWidths(objects, inner);
  const standard = numeric(objects.resolve(inner.get("DW")), 1000);
  const encoding = objects.resolve(font.get("Encoding"));
  const charset = isName(encoding) ? charsetOfCMap(encoding.name) : undefined;
  if (!map && charset && charset !== "utf-16be") {
    const decoder = new TextDecoder(charset);
    return (codes) => [
      {
        text: decoder.decode(Buffer.from(codes, "latin1")),
        width: codes.length * 500,
        space: false,
      },
    ];
  }
  const lengths = map && map.lengths.length > 0 ? map.lengths : [2];
  return (codes) => {
    const glyphs: Glyph[] = [];
    for (let at = 0; at < codes.length; ) {
      const length = lengths.find((some) => map?.characters.has(codes.slice(at, at + some)));
      const code = codes.slice(at, at + (length ?? lengths.at(-1) ?? 2));
      at += code.length;
      const plain = charset && code.length === 2 ? String.fromCharCode(wide(code)) : undefined;
      const text = map?.characters.get(code) ?? plain;
      glyphs.push({ text, width: widths.get(wide(code)) ?? standard, space: code === " " });
    }
    return glyphs;
  };
}

const wide = (code: string): number => code.charCodeAt(0) * 256 + code.charCodeAt(1);

/** Maps predefined encodings to charsets of the runtime. */
function charsetOfCMap(name: string): string | undefined {
  return CHARSETS.find(([pattern]) => pattern.test(name))?.[1];
}

const CHARSETS: readonly (readonly [RegExp, string])[] = [
  [/UCS2|UTF16/, "utf-16be"],
  [/^GBK|^GB-|^GBpc/, "gbk"],
  [/RKSJ/, "shift_jis"],
  [/^EUC-/, "euc-jp"],
  [/B5/, "big5"],
  [/^KSC/, "euc-kr"],
];

const MAX_WIDTHS = 200_000;

/** Reads a sequence of `code [w w …]` and `first last w`. */
function compositeWidths(objects: PdfObjects, inner: PdfDict): Map<number, number> {
  const widths = new Map<number, number>();
  const list = objects.resolve(inner.get("W"));
  if (!Array.isArray(list)) return widths;
  let left = MAX_WIDTHS; // caps a table that repeats the same range
  for (let at = 0; at + 1 < list.length && left > 0; ) {
    const first = numeric(objects.resolve(list[at]), 0);
    const second = objects.resolve(list[at + 1]);
    if (Array.isArray(second)) {
      for (const [index, width] of numbers(second).entries()) widths.set(first + index, width);
      left -= second.length;
      at += 2;
    } else {
      const last = Math.min(numeric(second, 0), first + 0xffff);
      const width = numeric(objects.resolve(list[at + 2]), 0);
      for (let code = first; code <= last; code++) widths.set(code, width);
      left -= last - first;
      at += 3;
    }
  }
  return widths;
}

const numeric = (value: unknown, fallback: number): number =>
  typeof value === "number" ? value : fallback;

const numbers = (value: unknown): number[] =>
  Array.isArray(value) ? value.map((item) => numeric(item, 0)) : [];
