/** Reads the strings of JSON text without their tags. */
import { iterateJsonPages } from "./json-pages.ts";
import { joinLines, type PageText, readPageText } from "./read-document-text.ts";
import { hasTags, type PageLine } from "./read-html-text.ts";
import type { ReadingBudget } from "./reading-budget.ts";

/**
 * Expects that one string is a page: others may be parts of it, such as a snippet. One by one: a tag that a string does not
 * close must not hide the next one.
 */
export async function readJsonPages(json: string, budget: ReadingBudget): Promise<PageText> {
  const lines: PageLine[] = [];
  for (const { text: source, toJson } of iterateJsonPages(json, hasTags)) {
    const { text, pieces, truncated } = await readPageText(source, budget, hasTags);
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
