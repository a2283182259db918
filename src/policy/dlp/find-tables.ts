/** Finds tables in text (CSV, TSV, Markdown, a list under a heading) by words in their header. */
import type { TextSpan } from "../views/source-map.ts";

export interface TextTable<Word> {
  /** Header line, without its line break. */
  header: TextSpan;
  /** Offset after the last row. */
  end: number;
  /** Returns the cell at `at`, or undefined if `at` is outside the rows. */
  findCell: (at: number) => Cell<Word> | undefined;
}

export interface Cell<Word> {
  /** Start of the row. */
  lineStart: number;
  /** The given words in the header of the column. */
  words: readonly Word[];
}

/** A longer line is prose. */
const MAX_LINE = 1000;
const MAX_NAME = 40;
const DELIMITERS = ["\t", "|", ";", ","];

/**
 * Returns the tables whose header contains one of `words`, which are in text order. Reads each line once. Only the
 * complete lines before a row decide whether it is one, so that more text does not change the context of a value.
 */
export function findTables<Word extends TextSpan>(
  text: string,
  words: readonly Word[],
): TextTable<Word>[] {
  const tables: TextTable<Word>[] = [];
  let next = 0;
  for (const [index, word] of words.entries()) {
    if (word.start < next) continue;
    const end = text.indexOf("\n", word.end);
    if (end < 0) break;
    const header = { start: Math.max(next, text.lastIndexOf("\n", word.start) + 1), end };
    const table = readTable(text, header, () => takeLine(words, index, end));
    if (table) tables.push(table);
    next = table?.end ?? end + 1;
  }
  return tables;
}

/** Creates a function that returns the cell at an offset. Call it with increasing offsets. */
export function createCellLookup<Word>(tables: readonly TextTable<Word>[]) {
  let current = 0;
  return (at: number): Cell<Word> | undefined => {
    while ((tables[current + 1]?.header.end ?? at) < at) current++;
    return tables[current]?.findCell(at);
  };
}

function readTable<Word extends TextSpan>(
  text: string,
  header: TextSpan,
  readWords: () => readonly Word[],
): TextTable<Word> | undefined {
  if (header.end - header.start > MAX_LINE) return undefined;
  const line = text.slice(header.start, header.end);
  const delimiter = DELIMITERS.find((sign) => line.includes(sign)) ?? "";
  const names = delimiter === "" ? [line] : line.split(delimiter);
  if (!isHeader(line, names)) return undefined;
  const last = names.length - 1;
  const isRow = (start: number, end: number) =>
    delimiter === ""
      ? end - start <= MAX_NAME && LISTED_VALUE.test(text.slice(start, end))
      : end - start <= MAX_LINE && countDelimiters(text, start, end, delimiter) === last;

  let end = header.end + 1;
  for (;;) {
    const lineEnd = text.indexOf("\n", end);
    if (lineEnd < 0 || !isRow(end, lineEnd)) break;
    end = lineEnd + 1;
  }

  let columns: readonly Word[][] | undefined;
  return {
    header,
    end,
    findCell(at) {
      // The line after the last row may still become one.
      if (at <= header.end || at >= end + MAX_LINE) return undefined;
      const lineStart = text.lastIndexOf("\n", at - 1) + 1;
      if (lineStart > end) return undefined;
      const column = countDelimiters(text, lineStart, at, delimiter);
      const cellStart = delimiter === "" ? lineStart : text.lastIndexOf(delimiter, at) + 1;
      const isValue = BEFORE_VALUE.test(text.slice(Math.max(lineStart, cellStart), at));
      if (column > last || (delimiter === "" && !isValue)) return undefined;
      columns ??= groupByColumn(text, header.start, delimiter, readWords());
      return { lineStart, words: (isValue && columns[column]) || [] };
    },
  };
}

/** Between the start of a cell and a value. */
const BEFORE_VALUE = /^[\s"'*•+(-]*$/;
const LISTED_VALUE = /^[\s"'*•+(-]*[A-Za-z]{0,9}[ -]?\d/;

/** Names are short; a heading of one column is a few words. */
function isHeader(line: string, names: readonly string[]): boolean {
  if (/\d{3}|\p{Ll}{4}[.!?](?:\s|$)/u.test(line)) return false;
  if (names.length === 1) return /^\W*[\w']+(?:[ _-]\w+){0,2}\W{0,3}$/.test(line);
  const named = names.filter((name) => /\p{L}/u.test(name));
  return named.length > 1 && named.every((name) => name.length <= MAX_NAME);
}

/** Returns whether the line at `start`, complete or not, may be the header of a table. */
export function isOpenHeader(text: string, start: number): boolean {
  const end = text.indexOf("\n", start);
  const line = text.slice(start, end < 0 ? text.length : end);
  return (
    line.length <= MAX_LINE &&
    !/\d{3}|\p{Ll}{4}[.!?]\s/u.test(line) &&
    DELIMITERS.some((sign) => line.split(sign).every(({ length }) => length <= MAX_NAME))
  );
}

/** Ignores delimiters inside quotes. */
function countDelimiters(text: string, start: number, end: number, delimiter: string): number {
  if (delimiter === "") return 0;
  const sign = delimiter.charCodeAt(0);
  let count = 0;
  let isQuoted = false;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) isQuoted = !isQuoted;
    else if (unit === sign && !isQuoted) count++;
  }
  return count;
}

const QUOTE = 0x22;

/** Returns the words from `index` on that end before `end`. */
function takeLine<Word extends TextSpan>(words: readonly Word[], index: number, end: number) {
  let last = index;
  while ((words[last]?.end ?? Number.POSITIVE_INFINITY) <= end) last++;
  return words.slice(index, last);
}

function groupByColumn<Word extends TextSpan>(
  text: string,
  lineStart: number,
  delimiter: string,
  words: readonly Word[],
): Word[][] {
  const columns: Word[][] = [];
  for (const word of words) {
    const column = countDelimiters(text, lineStart, word.start, delimiter);
    columns[column] = [...(columns[column] ?? []), word];
  }
  return columns;
}
