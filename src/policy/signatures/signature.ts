/** Signatures: patterns that run only in windows around their literals. */
import type { TextSpan } from "../views/source-map.ts";

export interface Signature<Label extends string = string> {
  label: Label;
  /** Lower-case literals. Every match contains at least one of them. */
  needles: readonly string[];
  /** Runs on lower-case text. Neither a match nor a failed attempt reads more than WINDOW_RADIUS characters. */
  pattern: RegExp;
  /** Excludes texts that are a query or a command themselves, rather than a value with an injection. */
  unless?: RegExp;
  /** Matches only member names, never values. */
  namesOnly?: true;
  /** Confidence in tool arguments, which a program uses as values. */
  argumentConfidence: number;
  /** Confidence in prose, where people discuss code. */
  proseConfidence: number;
}

/** Characters before and after the end of a needle in which a match must lie. */
export const WINDOW_RADIUS = 512;

/** Returns the first match of a signature in its windows, with offsets in the view. */
export function findSignature(
  { pattern, unless }: Signature,
  text: string,
  windows: readonly TextSpan[],
): TextSpan | undefined {
  const match = findFirstMatch(pattern, text, windows);
  return match && !unless?.test(text) ? match : undefined;
}

function findFirstMatch(
  pattern: RegExp,
  text: string,
  windows: readonly TextSpan[],
): TextSpan | undefined {
  for (const { start, end } of windows) {
    const whole = start === 0 && end >= text.length;
    // Marks a cut edge, so that ^ and $ match only at the edges of the text.
    const before = start === 0 ? "" : EDGE;
    const part = whole ? text : before + text.slice(start, end) + (end < text.length ? EDGE : "");
    const match = pattern.exec(part);
    if (match === null) continue;
    const from = Math.max(start, start + match.index - before.length);
    const length = match[0].length;
    return { start: from, end: Math.min(from + length, end, text.length) };
  }
  return undefined;
}

const EDGE = "\0";
