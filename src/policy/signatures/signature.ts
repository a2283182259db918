/** Patterns that are only tried around the places where a literal of theirs occurs. */
import type { TextSpan } from "../views/source-map.ts";

export interface Signature<Label extends string = string> {
  label: Label;
  /** Lower-case literals, one of which every match holds. */
  needles: readonly string[];
  /** On lower-case text. Its matches are shorter than REACH, and so is whatever it looks at in vain. */
  pattern: RegExp;
  /** A text like this is the thing itself, a query or a command, and not something smuggled into one. */
  unless?: RegExp;
  /** Only the names of members that were read are this, never a value that says the same. */
  namesOnly?: true;
  /** How sure it is where a program takes the text as a value: arguments of a tool. */
  argumentConfidence: number;
  /** How sure it is where people write, and talk about code. */
  proseConfidence: number;
}

/** How far from the end of a needle a match may begin or end. */
export const WINDOW_RADIUS = 512;

/** The first match of a signature in the windows around its needles, at its place in the view. */
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
    // What stands at the edge of a window keeps ^ and $ for the edges of the text.
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
