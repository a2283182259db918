/** Recognizes HTML and XML, whose text readers show without its tags. */
import { hasFoldedLines } from "../../lib/documents/decode-words.ts";
import { hasJsonPages } from "../../lib/documents/json-pages.ts";
import { containsPage, isMarkup } from "../../lib/documents/read-html-text.ts";
import type { EncodedPage, MarkupPage, Segment } from "../segment.ts";
import type { ValueLocation } from "./value-location.ts";

export function findPage(
  source: Segment,
  { isFile, content_type }: ValueLocation,
): MarkupPage | null {
  // A `format` may be that of a string in a JSON schema.
  const isDeclared = isFile || content_type?.includes("/") === true;
  // Tools that fetch pages do not declare a type.
  if (!isDeclared && source.source !== "tool_result") return null;
  const { text } = source;
  // Programs contain tags, so only a whole page needs no type.
  const test = isDeclared ? isMarkup : containsPage;
  const isJson = hasJsonPages(text, test);
  return isJson || test(text) ? { source, isDeclared, isJson, run: null } : null;
}

/**
 * Finds a page in text that was decoded, from the source or from a run in it. What is encoded is a file, so mails,
 * calendars and contacts are found as well, whose readers join lines.
 */
export function findDecodedPage(
  source: Segment,
  run: EncodedPage | null = null,
): MarkupPage | null {
  const { text } = run ?? source;
  const isJson = hasJsonPages(text, isMarkup);
  const isFound = isJson || isMarkup(text) || hasFoldedLines(text);
  return isFound ? { source, isDeclared: true, isJson, run } : null;
}

/** Returns whether the text of a file is a page, or JSON that contains one. */
export const isPage = (text: string): boolean => isMarkup(text) || hasJsonPages(text, isMarkup);
