/** Reads the text of an HTML page with hidden text, comments and scripts, because attacks hide instructions there. */

import type { TimeSlicer } from "./time-slicer.ts";
import {
  attributeNames,
  attributeValues,
  type MarkupVisitor,
  textInTag,
  walkMarkup,
} from "./walk-markup.ts";

/** Text that only mentions tags stays text: nothing of it may be dropped. */
export const isHtml = (text: string): boolean => HTML.test(text);
const HTML =
  /^\s*<(?:!doctype html|html|head|body|title|meta|script|style|div|table|p|h1|!--)[\s>-]/i;

/** Includes XML, and HTML that does not begin like a page. */
export const isMarkup = (text: string): boolean => isHtml(text) || MARKUP.test(text);
const MARKUP = /^\s*<[?!a-z]|<html[\s>]/i;

export async function readHtmlText(source: string, slicer: TimeSlicer): Promise<string> {
  const { pieces, asides } = await readPieces(source, slicer);
  return [...pieces, ...asides]
    .join("")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

/** Returns the lines that tags part in the source. */
export async function readPartedLines(source: string, slicer: TimeSlicer): Promise<string[]> {
  const { pieces } = await readPieces(source, slicer);
  const lines: string[] = [];
  let line: string[] = [];
  for (const piece of [...pieces, "\n"]) {
    if (piece !== "\n") line.push(piece);
    else if (line.length > 0) {
      if (line.filter((each) => each !== " ").length > 1) lines.push(line.join(""));
      line = [];
    }
  }
  return lines;
}

async function readPieces(
  source: string,
  slicer: TimeSlicer,
): Promise<{ pieces: string[]; asides: string[] }> {
  const pieces: string[] = [];
  /** At the end: in their places, comments and attributes would part a number. */
  const asides: string[] = [];
  const longNames = new Set<string>();
  /** Long text is visited in several steps, which nothing parts in the source. */
  let isContinued = false;
  const visitor: MarkupVisitor = {
    text(text) {
      const before = isContinued ? (pieces.pop() ?? "") : "";
      pieces.push(before + text.replace(/\s+/g, " "));
      isContinued = true;
    },
    comment(text) {
      asides.push("\n", text);
      isContinued = false;
    },
    tag({ name, closing, attributes }) {
      isContinued = false;
      if (!INLINE.has(name)) pieces.push("\n");
      for (const value of attributeValues(attributes, (each) => SHOWN.has(each)))
        if (value !== "") pieces.push("\n", value, "\n");
      for (const value of attributeValues(attributes, isOther)) asides.push("\n", value);
      const rest = textInTag(attributes);
      if (rest.length > MAX_FLAG_CHARACTERS) asides.push("\n", rest);
      for (const each of [name, ...attributeNames(attributes)])
        if (each.length > MAX_FLAG_CHARACTERS) longNames.add(`\n${each}`);
      return !closing && CODE.has(name);
    },
  };
  await walkMarkup(source, visitor, slicer);
  return { pieces, asides: [...asides, ...longNames] };
}

const CODE = new Set(["script", "style"]);
/** Attributes that are shown in the place of their element. Tooltips and names that are read aloud are not. */
const SHOWN = new Set(["alt", "placeholder", "content", "value", "label"]);
/** A model that receives the source reads all attributes. */
const isOther = (name: string): boolean => !SHOWN.has(name);
/** Longer than most names and than attributes without a value, such as `hidden` and `disabled`: may be text or a number. */
const MAX_FLAG_CHARACTERS = 12;
const INLINE = new Set(
  "a abbr acronym b bdi bdo big button canvas cite code data del dfn em font i img input ins kbd label map mark meter nobr object output picture progress q rb rp rt ruby s samp script slot small span strike strong style sub sup svg time tt u var wbr".split(
    " ",
  ),
);
