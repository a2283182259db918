/** Splits a span into one span per line, so that masking keeps the number of lines. */
import type { TextSpan } from "../views/source-map.ts";

/** All characters that clients treat as a line break. */
export const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;

/** One line of a span. */
export interface LineSpan extends TextSpan {
  /** Absent if the line is all of it. */
  whole?: TextSpan;
}

/** White space and quote signs before the text of a line. */
const LINE_PREFIX = /^[\s>]*(?=[^\s>])/;

/** A line of a longer span keeps that as its whole. Between lines, indentation and quote signs are no part of it. */
export function splitByLine(text: string, { start, end, whole: known }: LineSpan): LineSpan[] {
  const span = text.slice(start, end);
  if (!LINE_BREAK.test(span)) {
    if (span.trim() === "") return [];
    // Text may have millions of matches: each object counts.
    return [known ? { start, end, whole: known } : { start, end }];
  }
  const whole = known ?? { start, end };
  const lines: LineSpan[] = [];
  let from = start;
  for (const part of span.split(LINE_BREAK)) {
    const prefix = from === start ? "" : (LINE_PREFIX.exec(part)?.[0] ?? "");
    const partEnd = from + part.length;
    const lineEnd = partEnd === end ? end : from + part.trimEnd().length;
    if (part.trim() !== "") lines.push({ start: from + prefix.length, end: lineEnd, whole });
    from = partEnd + 1;
  }
  return lines;
}

/** Drops consecutive equal spans: all matches inside an encoded run map to the same span. */
export const dropRepeats = <Located extends TextSpan>(spans: readonly Located[]): Located[] =>
  spans.filter(({ start, end }, index) => {
    const before = spans[index - 1];
    return before?.start !== start || before.end !== end;
  });
