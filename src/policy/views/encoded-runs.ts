/** Finds the runs of base64 and hex in text. */

export type EncodedRun = { start: number; end: number; alphabet: "base64" | "hex" };

/** Calls `visit` with each run of at least `minCharacters` that is not a word or a path. */
export function visitRuns(
  text: string,
  minCharacters: number,
  visit: (run: EncodedRun) => void,
): void {
  let at = 0;
  while (at + minCharacters <= text.length) {
    // Backward from the end of the shortest run, so that an ordinary word costs one test.
    const gap = findLastGap(text, at, at + Math.min(minCharacters, MIN_LINE_CHARACTERS));
    if (gap >= at) {
      at = gap + 1;
      continue;
    }
    const from = at + lengthOfEscape(text, at);
    const start = from + lengthOfHexPrefix(text, from);
    let shared = BASE64 | HEX | WORD;
    let line = start;
    let end = start;
    let wrap: Wrap | undefined;
    for (at = start; at < text.length; ) {
      const unit = text.charCodeAt(at);
      if (classOf(unit) !== 0) {
        shared &= classOf(unit);
        at += 1;
        end = at;
        continue;
      }
      const lineEnd = at - line >= MIN_LINE_CHARACTERS ? readLineEnd(text, at) : "";
      if (lineEnd === "") break;
      wrap ??= { at, lineEnd, width: at - line };
      if (!mayContinue(text, text.slice(line, at), at, lineEnd, wrap)) break;
      at += lineEnd.length;
      line = at;
    }
    if (shared & WORD || end - start < minCharacters) continue;
    if (shared & HEX) visit({ start, end, alphabet: "hex" });
    else visit({ start: from, end, alphabet: "base64" });
  }
}

/** Returns the length of the rest of an escape, such as `\\n`, after its backslash. */
function lengthOfEscape(text: string, at: number): number {
  if (text.charAt(at - 1) !== "\\") return 0;
  ESCAPED.lastIndex = at;
  return ESCAPED.test(text) ? ESCAPED.lastIndex - at : 0;
}
const ESCAPED = /[nrt]|u[\da-fA-F]{4}/y;

const lengthOfHexPrefix = (text: string, at: number): number =>
  text.charAt(at) === "0" && /[xX]/.test(text.charAt(at + 1)) ? 2 : 0;

/** Line end in a run, which may be escaped, with the indentation of the next line. */
export const LINE_END_SOURCE = "(?:\\r?\\n|\\\\{1,8}(?:r\\\\{1,8})?n)[ \\t]{0,20}";

/**
 * Returns a line end with the indentation of the next line, or an empty string. JSON text escapes it, and JSON inside of JSON
 * escapes it again.
 */
function readLineEnd(text: string, at: number): string {
  const unit = text.charCodeAt(at);
  if (unit !== 0x0a && unit !== 0x0d && unit !== 0x5c) return "";
  LINE_END.lastIndex = at;
  return LINE_END.exec(text)?.[0] ?? "";
}
const LINE_END = new RegExp(LINE_END_SOURCE, "y");

/** First line end of a run, at `at`, and the characters before it. */
type Wrap = { at: number; lineEnd: string; width: number };

/**
 * Detects whether the line after `line`, which ends at `at`, continues its run. Lines that are indented or escaped may also be members
 * of an object or items of a list, so each must be as long as the first, of whole bytes, and the value must not continue with other
 * text.
 */
function mayContinue(text: string, line: string, at: number, lineEnd: string, wrap: Wrap): boolean {
  if (isPlain(lineEnd)) return isPlain(wrap.lineEnd);
  const { length } = line;
  if (lineEnd !== wrap.lineEnd || length !== wrap.width) return false;
  if (length > MAX_WRAPPED_LINE || length % 4 !== 0) return false;
  NEXT_LINE.lastIndex = at + lineEnd.length;
  const next = NEXT_LINE.exec(text)?.[0] ?? "";
  if (next === "" || next.length > length) return false;
  // One line and a word are no wrapped value.
  if (at === wrap.at && next.length % (isHex(line) ? 2 : 4) !== 0) return false;
  return isHex(next) ? isHex(line) || next.length < MIN_RUN_CHARACTERS : !isHex(line);
}
const isPlain = (lineEnd: string): boolean => lineEnd === "\n" || lineEnd === "\r\n";
const isHex = (line: string): boolean => /^[\da-f]*$/i.test(line);
const NEXT_LINE = /[\w+/-]{1,128}={0,2}(?=[\r\n\\"'`<]|$)/y;
export const MAX_WRAPPED_LINE = 128;

/** Returns the last offset from `start` to `end` outside the alphabet, or `start - 1`. */
function findLastGap(text: string, start: number, end: number): number {
  let at = end - 1;
  while (at >= start && classOf(text.charCodeAt(at)) !== 0) at--;
  return at;
}

/** Includes the padding of base64 in the run, so that no `=` remains after a mask. */
export function findPaddingEnd(text: string, { end, alphabet }: EncodedRun): number {
  let at = end;
  while (alphabet === "base64" && at < end + 2 && text.charAt(at) === "=") at++;
  return at;
}

/** Returns the bytes of a run, or of its beginning. */
export function readRunBytes(text: string, run: EncodedRun, maxCharacters = Infinity): Buffer {
  const encoded = text.slice(run.start, Math.min(run.end, run.start + maxCharacters));
  // Buffer ends hex at the first line end, and ignores those in base64 that are not escaped.
  const isWrapped = run.alphabet === "hex" ? /\n|\\/.test(encoded) : encoded.includes("\\");
  return Buffer.from(isWrapped ? encoded.replace(LINE_ENDS, "") : encoded, run.alphabet);
}
/** Line ends with the indentation after them. */
export const LINE_ENDS = /(?:\s|\\[rn]?)+/g;

/** Detects line ends that are escaped or indented. */
export const mayBeList = (text: string, { start, end }: EncodedRun): boolean =>
  /\\|\n[ \t]/.test(text.slice(start, end));

/** Returns the lines of a run that are long enough for runs of their own. */
export const listLines = (text: string, { start, end }: EncodedRun): EncodedRun[] =>
  Array.from(text.slice(start, end).matchAll(LINES), ({ 0: { length }, 1: line = "", index }) => ({
    start: start + index + length - line.length,
    end: start + index + length,
    alphabet: isHex(line) ? ("hex" as const) : ("base64" as const),
  })).filter((line) => line.end - line.start >= MIN_RUN_CHARACTERS);
/** A line, after the line end before it. */
const LINES = /(?:\s|\\[rn]?)*([^\s\\]+)/g;

/** Shorter runs are words and numbers. */
export const MIN_RUN_CHARACTERS = 16;
/** Shortest line of wrapped base64 in mail and PEM. A shorter line ends the run. */
export const MIN_LINE_CHARACTERS = 60;

const BASE64 = 1;
const HEX = 2;
/** Characters of words and paths: a run of only these is not base64. */
const WORD = 4;
export const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CLASS = new Uint8Array(128);
for (const letter of `${DIGITS}-_`) {
  CLASS[letter.charCodeAt(0)] =
    BASE64 | (/[0-9a-f]/i.test(letter) ? HEX : 0) | (/[a-z/_-]/.test(letter) ? WORD : 0);
}
const classOf = (unit: number) => CLASS[unit] ?? 0;
