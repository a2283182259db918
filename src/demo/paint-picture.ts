/** Paints a caption in pixel letters over a color gradient that depends on the text. */
import { glyphRows } from "./glyphs.ts";
import { encodePng, type Size } from "./png.ts";

type Color = [red: number, green: number, blue: number];

const LETTER_WIDTH = 4; // three dots and a gap
const LINE_HEIGHT = 7; // five dots and a gap of two
const LETTERS_PER_LINE = 20;
const WORD_PIECE = new RegExp(`.{1,${LETTERS_PER_LINE}}`, "gu");
const WHITE: Color = [255, 255, 255];

export function paintPicture(caption: string, seed: number, size: Size): Promise<Buffer> {
  const rows = gradient(size, seed);
  const dot = Math.max(1, Math.floor(size.width / (LETTER_WIDTH * (LETTERS_PER_LINE + 2))));
  const fitting = Math.floor(size.height / (LINE_HEIGHT * dot)) - 1;
  const lines = wrap(caption).slice(0, Math.max(1, fitting));
  const left = LETTER_WIDTH * dot;
  const top = Math.max(0, Math.floor((size.height - lines.length * LINE_HEIGHT * dot) / 2));
  for (const [row, line] of lines.entries()) {
    for (const [column, letter] of [...line].entries()) {
      const at = { x: left + column * LETTER_WIDTH * dot, y: top + row * LINE_HEIGHT * dot };
      drawLetter(rows, size, { letter, dot, ...at });
    }
  }
  return encodePng(size, rows);
}

function gradient({ width, height }: Size, seed: number): Buffer {
  const stride = 1 + 3 * width;
  const rows = Buffer.alloc(stride * height);
  const [from, to] = [color(seed), color(seed >>> 12)];
  for (let y = 0; y < height; y += 1) {
    const mix = (channel: 0 | 1 | 2) =>
      from[channel] + ((to[channel] - from[channel]) * y) / height;
    rows.fill(Buffer.from([mix(0), mix(1), mix(2)]), y * stride + 1, (y + 1) * stride);
  }
  return rows;
}

/** Uses twelve bits of the seed; dark enough for white letters. */
const color = (seed: number): Color => [
  (seed & 15) * 10,
  ((seed >>> 4) & 15) * 10,
  ((seed >>> 8) & 15) * 10,
];

function wrap(text: string): string[] {
  const lines = [""];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const line = lines.at(-1) ?? "";
    const longer = `${line} ${word}`.trim();
    if (longer.length <= LETTERS_PER_LINE) lines[lines.length - 1] = longer;
    else lines.push(...(word.match(WORD_PIECE) ?? []));
  }
  return lines.filter(Boolean);
}

interface LetterPosition {
  letter: string;
  dot: number;
  x: number;
  y: number;
}

function drawLetter(rows: Buffer, size: Size, { letter, dot, x, y }: LetterPosition): void {
  for (const [row, bits] of glyphRows(letter).entries()) {
    for (const column of [0, 1, 2]) {
      if (bits & (4 >> column)) drawDot(rows, size, { dot, x: x + column * dot, y: y + row * dot });
    }
  }
}

function drawDot(
  rows: Buffer,
  { width, height }: Size,
  { dot, x, y }: Omit<LetterPosition, "letter">,
): void {
  const right = Math.min(x + dot, width);
  for (let line = y; line < Math.min(y + dot, height); line += 1) {
    const start = line * (1 + 3 * width) + 1;
    if (x < right) rows.fill(Buffer.from(WHITE), start + 3 * x, start + 3 * right);
  }
}
