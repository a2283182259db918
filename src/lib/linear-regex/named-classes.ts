/** Character classes that have a name, and escapes of control characters. */
import { type CodePoints, complement, DIGITS, SPACES, WORD } from "./code-points.ts";

/** Of RE2, inside of brackets: `[[:alpha:]]`. */
export const POSIX: Readonly<Record<string, CodePoints>> = {
  alpha: [
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  alnum: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  digit: DIGITS,
  lower: [[0x61, 0x7a]],
  upper: [[0x41, 0x5a]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
  word: WORD,
  xdigit: [
    [0x30, 0x39],
    [0x41, 0x46],
    [0x61, 0x66],
  ],
};
export const ANY = complement([]);
/** By the letter of their escape. */
export const CLASSES: Readonly<Record<string, CodePoints>> = { d: DIGITS, w: WORD, s: SPACES };
/** Characters, by the letter of their escape. */
export const CONTROLS: Readonly<Record<string, number>> = {
  n: 10,
  t: 9,
  r: 13,
  f: 12,
  v: 11,
  a: 7,
  "0": 0,
};
