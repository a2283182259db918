/** Reads the text of an HTML page with hidden text and comments, because attacks hide instructions there. */

import type { TimeSlicer } from "./time-slicer.ts";
import { attributeValues, type MarkupVisitor, walkMarkup } from "./walk-markup.ts";

export async function readHtmlText(source: string, slicer: TimeSlicer): Promise<string> {
  const pieces: string[] = [];
  /** At the end: in its place a comment would part a number. */
  const comments: string[] = [];
  const visitor: MarkupVisitor = {
    text: (text) => pieces.push(text.replace(/\s+/g, " ")),
    comment: (text) => comments.push("\n", text),
    tag({ name, closing, attributes }) {
      if (!INLINE.has(name)) pieces.push("\n");
      for (const value of attributeValues(attributes, TEXT_ATTRIBUTES))
        pieces.push("\n", value, "\n");
      return !closing && CODE.has(name);
    },
  };
  await walkMarkup(source, visitor, slicer);
  return [...pieces, ...comments]
    .join("")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

const CODE = new Set(["script", "style"]);
/** Attributes that are read aloud, shown as tooltips or indexed. */
const TEXT_ATTRIBUTES = new Set([
  "alt",
  "title",
  "aria-label",
  "placeholder",
  "content",
  "value",
  "label",
]);
const INLINE = new Set(
  "a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);
