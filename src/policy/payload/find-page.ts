/** Recognizes HTML and XML, whose text readers show without its tags. */
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
  const isPage = selectPageTest({ isDeclared });
  const isJson = hasJsonPages(source.text, isPage);
  return isJson || isPage(source.text) ? { source, isDeclared, isJson } : null;
}

/** Returns the test for pages. Programs contain tags, so only a whole page needs no type. */
export const selectPageTest = ({ isDeclared }: Pick<MarkupPage, "isDeclared">) =>
  isDeclared ? isMarkup : containsPage;
