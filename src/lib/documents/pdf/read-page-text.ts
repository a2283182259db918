/**
 * Runs the text operators of a PDF page: returns its strings in drawing order, separated by their positions, then the
 * lines that were drawn in another order.
 */
import type { TimeSlicer } from "../time-slicer.ts";
import { createLinesByPosition } from "./lines-by-position.ts";
import { createDefaultFont, type PdfFont, readFont } from "./read-font.ts";
import { readMarkedTexts } from "./read-loose-texts.ts";
import { isStream, type PdfObject, type PdfObjects, type PdfStream } from "./read-objects.ts";
import { createTextLayout, IDENTITY, type Matrix, multiply } from "./text-layout.ts";
import {
  createPdfReader,
  isName,
  isWord,
  type PdfDict,
  type PdfReader,
  type PdfValue,
} from "./value-reader.ts";

export interface PageReading {
  objects: PdfObjects;
  slicer: TimeSlicer;
  fonts: Map<PdfDict, PdfFont>;
  pieces: string[];
  /** Total length of the pieces; reading ends at `maxCharacters`. */
  characters: number;
  maxCharacters: number;
  /** Lists of texts that were read. */
  seen: Set<PdfObject>;
  glyphs: GlyphCounts;
  /** Streams that were run. */
  drawn: Set<PdfStream>;
  /** Texts that replace what is drawn (`ActualText`, `Alt`). */
  marked: Set<string>;
}

export interface GlyphCounts {
  known: number;
  unknown: number;
  /** Unknown ones less the known ones between them, and the maximum so far. */
  cluster: number;
  largest: number;
  /** Glyphs that were not read by position. */
  unsorted: number;
}

function countGlyph(counts: GlyphCounts, text: string | undefined): void {
  if (text === undefined) {
    counts.unknown++;
    counts.cluster++;
    counts.largest = Math.max(counts.largest, counts.cluster);
  } else {
    counts.known++;
    if (counts.cluster > 0 && text.trim() !== "") counts.cluster--;
  }
}

const MAX_FORMS_DEEP = 12;
const MAX_OPERANDS = 4096;
const MAX_SAVED = 512;

interface Graphics {
  matrix: Matrix;
  font: PdfFont;
  size: number;
  letterSpace: number;
  wordSpace: number;
  stretch: number;
  leading: number;
  rise: number;
}

const START: Omit<Graphics, "font"> = {
  matrix: IDENTITY,
  size: 1,
  letterSpace: 0,
  wordSpace: 0,
  stretch: 1,
  leading: 0,
  rise: 0,
};

export async function readPageText(
  reading: PageReading,
  content: Uint8Array,
  resources: PdfDict,
): Promise<void> {
  const write = (text: string) => {
    reading.pieces.push(text);
    reading.characters += text.length;
  };
  const layout = createTextLayout(write);
  const lines = createLinesByPosition();
  const defaultFont = createDefaultFont(reading.objects);
  await run(content, resources, { ...START, font: defaultFont }, 0);
  for await (const line of lines.iterateLines(reading.slicer)) {
    if (reading.characters >= reading.maxCharacters) break;
    write(`\n${line}`);
  }
  reading.glyphs.unsorted += lines.countSkipped();

  async function run(source: Uint8Array, names: PdfDict, start: Graphics, depth: number) {
    const reader = createPdfReader(source);
    const saved: Graphics[] = [];
    let graphics = { ...start };
    let line: Matrix = IDENTITY;
    let at: Matrix = IDENTITY;
    let operands: PdfValue[] = [];
    let counted = 0;

    for (let value = reader.next(); value !== undefined; value = reader.next()) {
      // A string or list may be long.
      if (reading.slicer.isDue(1 + (reader.at - counted) / 32)) await reading.slicer.yield();
      counted = reader.at;
      if (!isWord(value)) {
        if (operands.length < MAX_OPERANDS) operands.push(value);
        continue;
      }
      const wait = operate(value.word, operands);
      if (wait) await wait;
      operands = [];
      if (reading.characters >= reading.maxCharacters) return;
    }

    function operate(operator: string, given: PdfValue[]): Promise<void> | undefined {
      const number = (index: number) => (typeof given[index] === "number" ? given[index] : 0);
      const nextLine = (x: number, y: number): undefined => {
        line = multiply([1, 0, 0, 1, x, y], line);
        at = line;
      };
      switch (operator) {
        case "q":
          if (saved.length < MAX_SAVED) saved.push({ ...graphics });
          return;
        case "Q":
          graphics = saved.pop() ?? graphics;
          return;
        case "cm":
          graphics.matrix = multiply(matrixOf(given), graphics.matrix);
          return;
        case "BT":
          line = IDENTITY;
          at = IDENTITY;
          return;
        case "Tf":
          graphics.size = number(1);
          return chooseFont(given[0]);
        case "Tc":
          graphics.letterSpace = number(0);
          return;
        case "Tw":
          graphics.wordSpace = number(0);
          return;
        case "Tz":
          graphics.stretch = number(0) / 100;
          return;
        case "TL":
          graphics.leading = number(0);
          return;
        case "Ts":
          graphics.rise = number(0);
          return;
        case "Td":
          return nextLine(number(0), number(1));
        case "TD":
          graphics.leading = -number(1);
          return nextLine(number(0), number(1));
        case "Tm":
          line = matrixOf(given);
          at = line;
          return;
        case "T*":
          return nextLine(0, -graphics.leading);
        case "Tj":
          return show(given);
        case "TJ":
          return show(Array.isArray(given[0]) ? given[0] : []);
        case "'":
          nextLine(0, -graphics.leading);
          return show(given);
        case '"':
          graphics.wordSpace = number(0);
          graphics.letterSpace = number(1);
          nextLine(0, -graphics.leading);
          return show(given.slice(2));
        case "Do":
          return draw(given[0]);
        case "BDC":
        case "DP":
          return given[1] instanceof Map ? readMarkedTexts(given[1], reading) : undefined;
        case "BI":
          return skipInlinePicture(reader, source);
        default:
          return;
      }
    }

    async function chooseFont(named: PdfValue | undefined) {
      const font = objectAt(names, "Font", named);
      if (!(font instanceof Map)) {
        graphics.font = defaultFont;
        return;
      }
      graphics.font =
        reading.fonts.get(font) ?? (await readFont(reading.objects, font, reading.slicer));
      reading.fonts.set(font, graphics.font);
    }

    function show(items: PdfValue[]) {
      const { font, size, letterSpace, wordSpace, stretch, matrix, rise } = graphics;
      for (const item of items) {
        if (typeof item === "number") {
          at = multiply([1, 0, 0, 1, (-item / 1000) * size * stretch, 0], at);
        }
        if (typeof item !== "string") continue;
        let text = "";
        let advance = 0;
        const from = multiply(at, matrix);
        const raised = rise === 0 ? from : multiply([1, 0, 0, 1, 0, rise], from);
        const place = lines.startString(raised, size * stretch);
        for (const glyph of font(item)) {
          countGlyph(reading.glyphs, glyph.text);
          const [shown, width] = [glyph.text ?? "\ufffd", (glyph.width / 1000) * size];
          text += shown;
          place(shown, advance * stretch, (advance + width) * stretch);
          advance += width + letterSpace + (glyph.space ? wordSpace : 0);
        }
        at = multiply([1, 0, 0, 1, advance * stretch, 0], at);
        layout.place(text, size, from, multiply(at, matrix));
      }
      return undefined;
    }

    async function draw(named: PdfValue | undefined) {
      const drawn = objectAt(names, "XObject", named);
      if (!isStream(drawn)) return;
      const subtype = drawn.dict.get("Subtype");
      if (!isName(subtype) || subtype.name !== "Form" || depth >= MAX_FORMS_DEEP) return;
      const own = reading.objects.resolve(drawn.dict.get("Resources"));
      const inner = own instanceof Map ? own : names;
      const placed = reading.objects.resolve(drawn.dict.get("Matrix"));
      const matrix = multiply(Array.isArray(placed) ? matrixOf(placed) : IDENTITY, graphics.matrix);
      reading.drawn.add(drawn);
      await run(await reading.objects.bytes(drawn), inner, { ...graphics, matrix }, depth + 1);
    }

    function objectAt(from: PdfDict, kind: string, named: PdfValue | undefined): PdfObject {
      return isName(named)
        ? reading.objects.resolve(reading.objects.dict(from.get(kind)).get(named.name))
        : null;
    }
  }
}

function matrixOf(values: PdfValue[]): Matrix {
  const [a, b, c, d, e, f] = values.map((value) => (typeof value === "number" ? value : 0));
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0];
}

/** Skips the bytes of an inline picture, up to an `EI` between spaces. */
function skipInlinePicture(reader: PdfReader, source: Uint8Array): undefined {
  for (let value = reader.next(); value !== undefined; value = reader.next()) {
    if (isWord(value) && value.word === "ID") break;
  }
  const isSpace = (at: number) => (source[at] ?? 0) <= 0x20;
  const isEnd = (at: number) =>
    source[at] === 0x45 && source[at + 1] === 0x49 && isSpace(at - 1) && isSpace(at + 2);
  while (reader.at < source.length && !isEnd(reader.at)) reader.at++;
  reader.at += 2;
  return undefined;
}
