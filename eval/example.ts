/** Labeled text, and the seeded sample of each source. */
import { seeded } from "../test/kit/random.ts";
import type { Span } from "./score-spans.ts";
import type { TaskName } from "./tasks.ts";

/** Position of text in a request. */
export const ORIGINS = [
  "user",
  "system",
  "tool_definition",
  "tool_arguments",
  "tool_result",
  "document",
] as const;
export type Origin = (typeof ORIGINS)[number];

/** Text with its labels, as a reader returns it. */
export interface LabeledText {
  text: string;
  /** Kind of attack, in the words of the source. */
  class?: string;
  /** Labeled spans, for personal data and secrets. */
  spans?: readonly Span[];
}

export interface Example extends LabeledText {
  /** Name of the source. */
  source: string;
  origin: Origin;
  isPositive: boolean;
  /** True if the texts of this source were available for training and for writing rules. */
  isSeen: boolean;
  tasks: readonly TaskName[];
}

/** Returns at most `size` different texts, the same ones for the same source. */
export function sample(
  texts: readonly LabeledText[],
  { source, size }: { source: string; size: number },
): LabeledText[] {
  const different = new Map(texts.map((each) => [each.text.trim(), each]));
  const usable = [...different.values()].filter(({ text }) => text.trim().length >= 3);
  const random = seeded(Bun.hash.crc32(source));
  for (let last = usable.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const [one, two] = [usable[last], usable[other]];
    if (one && two) [usable[last], usable[other]] = [two, one];
  }
  return usable.slice(0, size);
}

/** Returns `document` with `insert` at a random boundary of a sentence or line, and its position. */
export function plant(
  document: string,
  insert: string,
  random: { pick: <T>(items: readonly T[]) => T },
): { text: string; start: number } {
  const boundaries = [...document.matchAll(/[.!?]\s+|\n+|\|\s/g)].map(
    ({ index, 0: { length } }) => index + length,
  );
  const at = random.pick([0, ...boundaries, document.length]);
  const gap = random.pick([" ", "\n", "\n\n"]);
  const before = at === 0 ? "" : `${document.slice(0, at)}${gap}`;
  return { text: `${before}${insert}${gap}${document.slice(at)}`, start: before.length };
}
