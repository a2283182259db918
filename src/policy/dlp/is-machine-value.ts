/** Detects values that programs write, such as identifiers and log entries, which only resemble personal data. */
import { DEFAULT_CONFIDENCE } from "./entities.ts";
import { findLastLabel } from "./identifier-labels.ts";
import type { WordScan } from "./scan-words.ts";

export interface LocatedValue {
  text: string;
  /** Index of the value's first word in `words`. */
  index: number;
  words: WordScan;
  end: number;
  confidence: number;
  /** Returns whether the column at an offset contains identifiers (identifier-labels.ts). */
  isIdentifierColumn: (at: number) => boolean;
  /** Returns whether the value at `at`, of the same shape, passes the checks of the entity. */
  isValidAt: (at: number) => boolean;
}

/** Distance of other cells of the same column. Before the value, less than the context of a stream. */
const MAX_COLUMN_BEFORE = 150;
const MAX_COLUMN_AFTER = 300;
/** Longer than any value in a column. */
const MAX_VALUE = 40;

/** From this confidence on, the context of a value does not matter. */
const CERTAIN = 0.9;

/** Returns whether the confidence of a value without a clue depends on its context. */
export const isWeak = (confidence: number) =>
  confidence >= DEFAULT_CONFIDENCE && confidence < CERTAIN;

export function isMachineValue(value: LocatedValue): boolean {
  const { text, words, index, end } = value;
  const at = words.starts[index] ?? 0;
  const before = text.slice(Math.max(0, at - 40), at);
  if (INSIDE_TOKEN.test(before) || findLastLabel(before) >= 0) return true;
  const isPlain = /^\d+$/.test(text.slice(at, end));
  if (isPlain && (MINUS.test(before) || isInLogLine(text, at))) return true;
  if (!isCell(text, at, end)) return false;
  return value.isIdentifierColumn(at) || isInOtherColumn(value, at);
}

/** A path, a query, an assignment, or a longer name such as `blk_-1608999687919862906`. */
const INSIDE_TOKEN = /[/=&?%#\\_@]["']?$|[A-Za-z_][-.]$/;
/** Of a plain number: `{"hash":-4980916519894289629}`, the columns of `od -t d8`. */
const MINUS = /(?:^|[\s,[(]|":)-$/;

/** Detects bytes in a row of a hex dump, or its address, also after a clue word in the column of characters. */
export function isInDump(text: string, at: number, end: number): boolean {
  const line = readLineBefore(text, at);
  return line !== undefined && DUMP_ROW.test(line + text.slice(at, end));
}

/** xxd -g1, hexdump -C, od (`00000010: 03 00`), objdump (`    4848:\t05 83`). Cards and phones have no address. */
const DUMP_ROW =
  /^(?:00[\da-f]{4,6}:? {1,2}| {1,8}[\da-f]{1,8}:\t)[\da-f]{2}(?: {1,2}[\da-f]{2})*$|^00\d{6}$/;

/** Detects a line that begins with the time: `2024-05-20T10:30`, `[2024-05-20 10:30`, `Nov 16 10:30`, `1700000000.123`. */
const isInLogLine = (text: string, at: number) => LOG_TIME.test(readLineBefore(text, at) ?? "");

/** Returns the text between the start of the line and `at`, or undefined if it is long. */
function readLineBefore(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - MAX_COLUMN_BEFORE), at);
  const line = before.lastIndexOf("\n") + 1;
  return line === 0 && at > MAX_COLUMN_BEFORE ? undefined : before.slice(line);
}

const LOG_TIME =
  /^.{0,24}(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d?[ /][A-Z][a-z]{2}[ /]\d{4}.\d\d:|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d{3})|^\W?1[67]\d{8}(?:\.\d|\d{3})/;

const CELL_START = /(?:^|[\n\t,;|[\d])[ "']{0,20}\(?$/;
const CELL_END = /^["']?[ ]{0,20}(?:$|[-\r\n\t,;|\]\d])/;

const isCell = (text: string, at: number, end: number) =>
  CELL_START.test(text.slice(Math.max(0, at - 22), at)) && CELL_END.test(text.slice(end, end + 22));

/** Returns whether more text may add a cell to the column of a value. */
export const mayGetSibling = (text: string, at: number, end: number) =>
  text.length - end <= MAX_COLUMN_AFTER + MAX_VALUE && isCell(text, at, end);

/** Below this confidence, a value in a column needs a clue. */
const MIN_COLUMN_CONFIDENCE = 0.7;

/** Detects that other cells of the same shape fail the checks, so that the column contains something else. */
function isInOtherColumn(value: LocatedValue, at: number): boolean {
  const before = countValidSiblings(value, at, -1);
  const after = before < 0 ? -1 : countValidSiblings(value, at, 1);
  if (after < 0) return true;
  const isAlone = before + after === 0;
  return !isAlone && (value.confidence < MIN_COLUMN_CONFIDENCE || !value.isValidAt(at));
}

/** Enough to distinguish a column of values from one where some are valid by chance. */
const MAX_SIBLINGS = 4;

/** Returns the number of cells of the same shape in one direction, or -1 if one fails the checks. */
function countValidSiblings(value: LocatedValue, at: number, step: 1 | -1): number {
  const { text, words, end } = value;
  const limit = step > 0 ? end + MAX_COLUMN_AFTER : at - MAX_COLUMN_BEFORE;
  let count = 0;
  for (let index = value.index + step; count < MAX_SIBLINGS; index += step) {
    const other = words.starts[index];
    if (other === undefined || (other - limit) * step > 0) break;
    if (!hasSameShape(text, at, end, other)) continue;
    if (!value.isValidAt(other)) return -1;
    count++;
  }
  return count;
}

/** Compares digits, letters and signs by kind. The other value must not be part of a longer one. */
function hasSameShape(text: string, at: number, end: number, other: number): boolean {
  const length = end - at;
  if (/[0-9A-Za-z]/.test(text.charAt(other + length))) return false;
  for (let offset = 0; offset < length; offset++) {
    if (toKind(text.charCodeAt(at + offset)) !== toKind(text.charCodeAt(other + offset))) {
      return false;
    }
  }
  return true;
}

/** Returns a letter for digits and for letters of each case, and other characters unchanged. */
function toKind(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return 0x30;
  if (unit >= 0x41 && unit <= 0x5a) return 0x41;
  return unit >= 0x61 && unit <= 0x7a ? 0x61 : unit;
}
