/** Parts of a span, one for each line it goes over: a mask on two lines would make one of them. */
import type { TextSpan } from "../views/source-map.ts";

/** Everything that some client takes for the end of a line. */
export const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;

export function splitByLine(text: string, { start, end }: TextSpan): TextSpan[] {
  const lines: TextSpan[] = [];
  let from = start;
  for (const part of text.slice(start, end).split(LINE_BREAK)) {
    if (part.trim() !== "") lines.push({ start: from, end: from + part.length });
    from += part.length + 1;
  }
  return lines;
}

/** What is encoded has one place for all that is found in it: said once, or its text is read again for each. */
export const dropRepeats = <Located extends TextSpan>(spans: readonly Located[]): Located[] =>
  spans.filter(({ start, end }, index) => {
    const before = spans[index - 1];
    return before?.start !== start || before.end !== end;
  });
