/** Recognizes HTML and XML files, whose text readers show without its tags. */
import { containsPage, isMarkup } from "../../lib/documents/read-html-text.ts";
import type { ValueLocation } from "./value-location.ts";

export function isPage(text: string, { source, isFile, content_type }: ValueLocation): boolean {
  // A `format` may be that of a string in a JSON schema.
  if (isFile || content_type?.includes("/")) return isMarkup(text);
  // Tools that fetch pages do not declare a type.
  return source === "tool_result" && containsPage(text);
}
