/** Reads the strings of JSON text without their tags. */
import { iterateJsonPages, type JsonPage } from "./json-pages.ts";
import { joinLines, type PageText, readPageText } from "./read-document-text.ts";
import { hasTags, type PageLine } from "./read-html-text.ts";
import type { ReadingBudget } from "./reading-budget.ts";

/**
 * Expects that one string is a page: others may be parts of it, such as a snippet. One by one: a tag that a string does not
 * close must not hide the next one.
 */
export async function readJsonPages(json: string, budget: ReadingBudget): Promise<PageText> {
  const lines: PageLine[] = [];
  for (const page of iterateJsonPages(json, hasTags)) {
    const { text, pieces, truncated } = await readPageText(page.text, budget, hasTags);
    const toJson = createOffsetMap(page);
    const placed = pieces.map(({ from, to, ...piece }) => ({
      ...piece,
      from: toJson(from),
      to: toJson(to),
    }));
    lines.push({ text, pieces: placed });
    if (truncated) return { ...joinLines(lines), truncated };
  }
  return { ...joinLines(lines), truncated: false };
}

/** Returns a function that maps offsets in a string to those in the JSON text. */
function createOffsetMap({ literal, start }: JsonPage): (at: number) => number {
  /** Offsets in the string after each escape, and the lengths of all escapes up to it beyond one character each. */
  const ends: number[] = [];
  const added: number[] = [0];
  let total = 0;
  for (const { 0: escaped, index } of literal.matchAll(ESCAPE)) {
    ends.push(index - total);
    total += escaped.length - 1;
    added.push(total);
  }
  return (at) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return start + 1 + at + (added[low] ?? 0);
  };
}

const ESCAPE = /\\(?:u.{4}|.)/g;
