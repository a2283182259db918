/** Splits a span into one span per line, so that masking keeps the number of lines. */
import type { TextSpan } from "../views/source-map.ts";

/** All characters that clients treat as a line break. */
export const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;

/** One line of a span. */
export interface LineSpan extends TextSpan {
  /** Absent if the line is all of it. */
  whole?: TextSpan;
}

/**
 * White space, quote signs, the sign of a line that a diff adds, and the sign of a comment before the text of a line. A
 * line of base64 may begin with `//`, `--` or `+`, so that these need a space or another sign.
 */
const LINE_PREFIX =
  /^[\s>]*(?:\+{1,2}(?![\w+/=-])\s*)?(?:(?:[#;%|*]{1,3}|(?:\/{2,3}|-{1,2}|::|rem)(?=\s|$))\s*)?/i;

/** A line of a longer span keeps that as its whole. From the second line on, a prefix is no part of it. */
export function splitByLine(text: string, { start, end, whole: known }: LineSpan): LineSpan[] {
  const span = text.slice(start, end);
  if (!LINE_BREAK.test(span)) {
    if (isBlank(span)) return [];
    // Text may have millions of matches: each object counts.
    return [known ? { start, end, whole: known } : { start, end }];
  }
  const whole = known ?? { start, end };
  const lines: LineSpan[] = [];
  let from = start;
  for (const part of span.split(LINE_BREAK)) {
    const prefix = from === start ? 0 : (LINE_PREFIX.exec(part)?.[0].length ?? 0);
    // Keeps a line of signs if the match begins with it: a rule may look for them.
    const skipped = lines.length === 0 && isBlank(part.slice(prefix)) ? 0 : prefix;
    const partEnd = from + part.length;
    const lineEnd = partEnd === end ? end : from + part.trimEnd().length;
    if (!isBlank(part.slice(skipped))) lines.push({ start: from + skipped, end: lineEnd, whole });
    from = partEnd + 1;
  }
  return lines;
}

const isBlank = (text: string): boolean => text.trim() === "";

/** Drops consecutive equal spans: all matches inside an encoded run map to the same span. */
export const dropRepeats = <Located extends TextSpan>(spans: readonly Located[]): Located[] =>
  spans.filter(({ start, end }, index) => {
    const before = spans[index - 1];
    return before?.start !== start || before.end !== end;
  });
