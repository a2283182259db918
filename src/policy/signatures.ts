/** Runs a table of patterns over a text; a pattern is only tried around the places where a literal of it occurs. */
import { keywordFinder } from "../lib/keyword-finder.ts";
import type { Span } from "./views/source-map.ts";
import type { View } from "./views.ts";

export interface Signature<Label extends string = string> {
  label: Label;
  /** Lower-case literals, one of which every match holds. */
  needles: readonly string[];
  /** On lower-case text. Its matches are shorter than REACH, and so is whatever it looks at in vain. */
  pattern: RegExp;
  /** A text like this is the thing itself, a query or a command, and not something smuggled into one. */
  unless?: RegExp;
  /** Only the names of members that were read are this, never a value that says the same. */
  inNames?: true;
  /** How sure it is where a program takes the text as a value: arguments of a tool. */
  argument: number;
  /** How sure it is where people write, and talk about code. */
  prose: number;
}

export interface Hit<Label extends string> extends Span {
  signature: Signature<Label>;
}

const REACH = 512;

/** The first match of each signature, at its place in the original. */
export function signatureScan<Label extends string>(
  signatures: readonly Signature<Label>[],
): (view: View) => readonly Hit<Label>[] {
  const byText = new Map<string, number[]>();
  for (const [index, { needles }] of signatures.entries()) {
    for (const needle of needles) byText.set(needle, [...(byText.get(needle) ?? []), index]);
  }
  const find = keywordFinder([...byText.keys()]);
  const byNeedle = [...byText.values()];

  return ({ text, span }) => {
    let windows: Map<number, Span[]> | undefined;
    find(text, (needle, end) => {
      windows ??= new Map();
      for (const index of byNeedle[needle] ?? []) {
        const known = windows.get(index);
        const last = known?.at(-1);
        if (last !== undefined && end - REACH <= last.end) last.end = end + REACH;
        else {
          const window = { start: Math.max(0, end - REACH), end: end + REACH };
          if (known === undefined) windows.set(index, [window]);
          else known.push(window);
        }
      }
    });
    if (!windows) return [];
    return [...windows].flatMap(([index, around]) => {
      const signature = signatures[index];
      const match = signature && firstMatch(signature.pattern, text, around);
      if (!match || signature.unless?.test(text)) return [];
      return [{ signature, ...span(match.start, match.end) }];
    });
  };
}

function firstMatch(pattern: RegExp, text: string, windows: readonly Span[]): Span | undefined {
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
