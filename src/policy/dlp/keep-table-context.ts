/** Selects the text that a stream keeps as context, so that a table has its header. */
import { findTables, isOpenHeader } from "./find-tables.ts";
import { findLabels } from "./identifier-labels.ts";
import { scanWords } from "./scan-words.ts";

/** Prevents that the rest of a line is read as a header, which contains no sentence. No digit: it would join a number. */
const NO_HEADER = "done. ";

/**
 * Returns where to cut the text, at or before `cut`, and the text that replaces what is dropped: the headers of the
 * tables that continue there.
 */
export function keepTableContext(text: string, cut: number): { cut: number; before: string } {
  const lineStart = text.lastIndexOf("\n", cut - 1) + 1;
  const { clues } = scanWords(text);
  const headers = [
    ...findTables(
      text,
      clues.filter(({ entities }) => entities.length > 0),
    ),
    ...findTables(text, findLabels(text)),
  ]
    .filter((table) => table.header.end < lineStart && table.findCell(cut) !== undefined)
    .map(({ header }) => header)
    .sort((one, other) => one.start - other.start);
  if (headers.length > 0) {
    const lines = new Set(headers.map(({ start, end }) => text.slice(start, end + 1)));
    return { cut: lineStart, before: [...lines].join("") };
  }
  if (cut === lineStart || isOpenHeader(text, lineStart)) return { cut: lineStart, before: "" };
  return { cut, before: NO_HEADER };
}
