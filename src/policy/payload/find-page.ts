/** Recognizes HTML and XML, whose text readers show without its tags. */
import { containsPage, isMarkup } from "../../lib/documents/read-html-text.ts";
import type { MarkupPage, Segment } from "../segment.ts";
import type { ValueLocation } from "./value-location.ts";

export function findPage(
  source: Segment,
  { isFile, content_type }: ValueLocation,
): MarkupPage | null {
  // A `format` may be that of a string in a JSON schema.
  const isDeclared = isFile || content_type?.includes("/") === true;
  if (isDeclared) return isMarkup(source.text) ? { source, isDeclared } : null;
  // Tools that fetch pages do not declare a type.
  return source.source === "tool_result" && containsPage(source.text)
    ? { source, isDeclared }
    : null;
}
