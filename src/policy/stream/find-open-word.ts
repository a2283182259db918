/** Finds the last word of text, which more text may extend. */
import { LINE_END_SOURCE, MIN_LINE_CHARACTERS } from "../views/encoded-runs.ts";

/**
 * Returns where the last word starts: after white space or after a mark between Chinese or Japanese words. A line of
 * wrapped base64 or hex continues the run of the lines before it, and a spaced letter the letters before it.
 */
export function findOpenWord(text: string): number {
  let start = findWord(text, text.length);
  start = findSpacedLetters(text, start);
  for (;;) {
    const line = findEncodedLine(text, start);
    if (line < 0) return start;
    start = line;
  }
}

function findWord(text: string, end: number): number {
  let start = end;
  while (start > 0 && !isBreak(text.charCodeAt(start - 1))) start--;
  return start;
}

/** Returns the start of the letters written apart that the last word, at `start`, may continue. */
function findSpacedLetters(text: string, start: number): number {
  let first = start;
  let end = text.length;
  while (first === end || SPACED_LETTERS.test(text.slice(first, end))) {
    end = first;
    while (text.charCodeAt(end - 1) === 0x20) end--;
    const gap = first - end;
    const before = findWord(text, end);
    if (gap > MAX_GAP || before === end || !SPACED_END.test(text.slice(before, end))) break;
    first = before;
  }
  return first;
}

/** One letter, or several with a sign between them (views/join-spaced-letters.ts). */
const SPACED_LETTERS = /^\S(?:([.*_|~-])\S(?:\1\S)*)?[.*_|~-]?$/;
/** Word that ends with such letters, as in `(i.g.n.o.r.e`. Read from its end: from each letter on would take quadratic time. */
const SPACED_END = /^\S[.*_|~-]?$|$(?<=(?:^|\W)(?:\S\1)*\S([.*_|~-])\S)/;
const MAX_GAP = 4;

const isBreak = (unit: number): boolean =>
  unit < 0x80 ? isSpace(unit) : BREAK.test(String.fromCharCode(unit));
/** Other control characters may be inside a word (views/read-hidden-gaps.ts). */
const isSpace = (unit: number): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
/** White space, and the marks 、。， that Chinese and Japanese write without spaces. */
const BREAK = /[\s\u3001\u3002\uff0c]/;

/** End of a line that a run of base64 continues after (views/encoded-runs.ts). A line feed may follow the return. */
const ENCODED_LINE = new RegExp(`[\\w+/=-]{${MIN_LINE_CHARACTERS}}(?:${LINE_END_SOURCE}|\\r)$`);
const MAX_ENCODED_LINE = 100;

/** Returns the start of the word that ends with an encoded line and the line end before `at`, or -1. */
function findEncodedLine(text: string, at: number): number {
  const from = Math.max(0, at - MAX_ENCODED_LINE);
  const line = ENCODED_LINE.exec(text.slice(from, at));
  return line ? findWord(text, from + line.index) : -1;
}
