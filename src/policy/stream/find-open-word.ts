/** Finds the last word of text, which more text may extend. */

/**
 * Returns where the last word starts: after white space or after a mark between Chinese or Japanese words. A line of
 * wrapped base64 or hex continues the run of the lines before it.
 */
export function findOpenWord(text: string): number {
  let start = text.length;
  while (start > 0 && !isBreak(text.charCodeAt(start - 1))) start--;
  for (;;) {
    const line = findEncodedLine(text, start);
    if (line < 0) return start;
    start = line;
  }
}

const isBreak = (unit: number): boolean =>
  unit <= 0x20 || (unit >= 0x80 && BREAK.test(String.fromCharCode(unit)));
/** White space, and the marks 、。， that Chinese and Japanese write without spaces. */
const BREAK = /[\s\u3001\u3002\uff0c]/;

/** Shortest line that a run of base64 continues after (views/decode-base64-and-hex.ts). */
const MIN_LINE_CHARACTERS = 60;

/** Returns the start of the encoded line that ends with the line feed before `at`, or -1. */
function findEncodedLine(text: string, at: number): number {
  if (text.charCodeAt(at - 1) !== 0x0a) return -1;
  let start = at - 1;
  while (start > 0 && ENCODED.test(text.charAt(start - 1))) start--;
  return at - 1 - start >= MIN_LINE_CHARACTERS ? start : -1;
}

const ENCODED = /[\w+/=-]/;
