/** Separates strings of a page by nothing, a space or a line break, depending on their positions. */

/** [a b c d e f] as PDF writes it. */
export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

export const multiply = (first: Matrix, second: Matrix): Matrix => [
  first[0] * second[0] + first[1] * second[2],
  first[0] * second[1] + first[1] * second[3],
  first[2] * second[0] + first[3] * second[2],
  first[2] * second[1] + first[3] * second[3],
  first[4] * second[0] + first[5] * second[2] + second[4],
  first[4] * second[1] + first[5] * second[3] + second[5],
];

export interface TextLayout {
  place: (text: string, size: number, from: Matrix, to: Matrix) => void;
}

/** In letter heights: kerning is below, the space between words above. */
export const SPACE_FROM = 0.1;
const LINE_FROM = 0.5;

export function createTextLayout(write: (text: string) => void): TextLayout {
  let last: { x: number; y: number; text: string } | undefined;
  return {
    place(text, size, from, to) {
      if (text === "") return;
      if (last) {
        const gap = separator(last, size, from);
        const already = /\s$/.test(last.text) || /^\s/.test(text);
        if (gap === "\n" || (gap === " " && !already)) write(gap);
      }
      write(text);
      last = { x: to[4], y: to[5], text: text.slice(-1) };
    },
  };
}

function separator(last: { x: number; y: number }, size: number, from: Matrix): string {
  const scale = Math.hypot(from[0], from[1]) || 1;
  const height = Math.abs(size) * scale || 1;
  const [dx, dy] = [from[4] - last.x, from[5] - last.y];
  // Along and across the direction of the text, so that rotated text is read too.
  const along = (dx * from[0] + dy * from[1]) / scale / height;
  const across = Math.abs(dy * from[0] - dx * from[1]) / scale / height;
  if (across > LINE_FROM) return "\n";
  return along > SPACE_FROM || along < -1 ? " " : "";
}
