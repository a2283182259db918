/** Recognizes HTML and XML, whose text readers show without its tags. */
import { hasFoldedLines } from "../../lib/documents/decode-words.ts";
import { hasJsonPages } from "../../lib/documents/json-pages.ts";
import { containsPage, isMarkup } from "../../lib/documents/read-html-text.ts";
import type { MarkupPage, Segment } from "../segment.ts";
import type { ValueLocation } from "./value-location.ts";

export function findPage(
  source: Segment,
  { isFile, content_type }: ValueLocation,
): MarkupPage | null {
  // A `format` may be that of a string in a JSON schema.
  const isDeclared = isFile || content_type?.includes("/") === true;
  // Tools that fetch pages do not declare a type.
  if (!isDeclared && source.source !== "tool_result") return null;
  return toPage(source, isDeclared);
}

/** Also finds mails, calendars and contacts, whose readers join lines. What is encoded is a file. */
export const findDecodedPage = (source: Segment): MarkupPage | null =>
  toPage(source, true) ??
  (hasFoldedLines(source.text) ? { source, isDeclared: true, isJson: false } : null);

function toPage(source: Segment, isDeclared: boolean): MarkupPage | null {
  // Programs contain tags, so only a whole page needs no type.
  const test = isDeclared ? isMarkup : containsPage;
  const isJson = hasJsonPages(source.text, test);
  return isJson || test(source.text) ? { source, isDeclared, isJson } : null;
}

/** Returns whether the text of a file is a page, or JSON that contains one. */
export const isPage = (text: string): boolean => isMarkup(text) || hasJsonPages(text, isMarkup);
