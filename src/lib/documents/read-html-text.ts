/** Reads the text of an HTML page with hidden text, comments and scripts, because attacks hide instructions there. */

import { BLOCK_ELEMENTS, INLINE_ELEMENTS, VOID_ELEMENTS } from "./html-elements.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import {
  attributeNames,
  attributeValues,
  type MarkupVisitor,
  textInTag,
  walkMarkup,
} from "./walk-markup.ts";

/** Text that only mentions tags stays text: nothing of it may be dropped. */
export const isHtml = (text: string): boolean => HTML.test(text) || isXhtml(text);
const HTML =
  /^\s*<(?:!doctype html|html|head|body|title|meta|script|style|div|table|p|h1|!--)[\s>-]/i;

/** Returns whether the first element is that of a page, after declarations and comments of XML. */
export const isXhtml = (text: string): boolean => XHTML.test(text.slice(0, PROLOGUE_CHARACTERS));
const PROLOGUE_CHARACTERS = 4096;
const XHTML = /^\s*(?:<[?!][^<]*)*<html[\s>]/i;

/** Includes XML, and text with elements of HTML. */
export const isMarkup = (text: string): boolean => isHtml(text) || MARKUP.test(text);
const MARKUP = /^\s*<[?!a-z]|<(?:html[\s>]|\/[a-z])/i;

export async function readHtmlText(source: string, slicer: TimeSlicer): Promise<string> {
  const { lines, asides } = await readLines(source, false, slicer);
  const readings = lines.flatMap((line) => [line.pieces, ...partsOf(line), ...shownOf(line)]);
  return [...readings.map((pieces) => pieces.join("")), ...asides]
    .join("\n")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

/** Returns the lines and values that differ from the source: tags part them, or references encode their characters. */
export async function readChangedLines(source: string, slicer: TimeSlicer): Promise<string[]> {
  const { lines, asides } = await readLines(source, true, slicer);
  const changed: string[] = [];
  for (const line of lines) {
    const { pieces, breaks, isDecoded } = line;
    const parts = breaks.length > 0 ? partsOf(line) : [pieces];
    for (const part of [...parts, ...shownOf(line)]) {
      if (isDecoded) changed.push(part.join(""));
      else if (part.filter((each) => each !== " ").length > 1)
        changed.push(part.map(keepEnds).join(""));
    }
  }
  return [...changed, ...asides];
}

/** Keeps the words that may belong to a value that a tag parts. The rest is in the source. */
function keepEnds(piece: string): string {
  if (piece.length <= 2 * END_CHARACTERS) return piece;
  const [start, end] = [piece.slice(0, END_CHARACTERS), piece.slice(-END_CHARACTERS)];
  return `${start.slice(0, start.lastIndexOf(" ") + 1) || start}\n${end.slice(end.indexOf(" ") + 1)}`;
}
const END_CHARACTERS = 500;

interface Line {
  pieces: string[];
  /** Indexes of the pieces that may begin a line of their own. */
  breaks: number[];
  /** Indexes of the pieces that browsers hide. */
  hidden: Set<number>;
  isDecoded: boolean;
}

/** Returns the pieces between the breaks of a line; nothing for a line without breaks. */
function partsOf({ pieces, breaks }: Line): string[][] {
  if (breaks.length === 0) return [];
  return [0, ...breaks].map((start, index) => pieces.slice(start, breaks[index]));
}

/** Returns the pieces that browsers show; nothing for a line without hidden pieces. */
const shownOf = ({ pieces, hidden }: Line): string[][] =>
  hidden.size > 0 ? [pieces.filter((_, index) => !hidden.has(index))] : [];

/**
 * Elements that HTML does not define are shown inline, but a style or another vocabulary may make them lines of their own:
 * a line may break between two of them. `onlyDecoded`: leaves out attributes and comments without references.
 */
async function readLines(
  source: string,
  onlyDecoded: boolean,
  slicer: TimeSlicer,
): Promise<{ lines: Line[]; asides: string[] }> {
  const lines: Line[] = [];
  /** At the end: in their places, comments and attributes would part a number. */
  const asides: string[] = [];
  const longNames = new Set<string>();
  let line = createLine();
  /** Long text is visited in several steps, which nothing parts in the source. */
  let isContinued = false;
  /** Since the last text, an unknown element has ended, and another one has begun after it. */
  let [hasEnded, isBreak] = [false, false];
  /** The element that hides text, and the number of elements of its name that are open. */
  let hiding = { name: "", depth: 0 };
  const hide = (name: string, attributes: string) => {
    if (hiding.depth > 0) hiding.depth += name === hiding.name ? 1 : 0;
    else if (HIDDEN.test(attributes) && !VOID_ELEMENTS.has(name)) hiding = { name, depth: 1 };
  };
  const add = (piece: string) => {
    if (hiding.depth > 0) line.hidden.add(line.pieces.length);
    line.pieces.push(piece);
  };
  const endLine = () => {
    // Hidden lines do not part the one around them.
    if (hiding.depth > 0) return add("\n");
    if (line.pieces.length > 0) lines.push(line);
    line = createLine();
    hasEnded = isBreak = false;
  };
  const isXml = XML.test(source) && !isXhtml(source);
  const visitor: MarkupVisitor = {
    isXml,
    text(text, isDecoded) {
      const before = isContinued ? (line.pieces.pop() ?? "") : "";
      const piece = text.replace(/\s+/g, " ");
      if (isBreak && piece !== " ") line.breaks.push(line.pieces.length);
      if (piece !== " ") hasEnded = isBreak = false;
      add(before + piece);
      line.isDecoded ||= isDecoded;
      isContinued = true;
    },
    comment(text) {
      if (!onlyDecoded) asides.push(text);
      isContinued = false;
    },
    tag({ name, closing, attributes }) {
      isContinued = false;
      const isKnown = BLOCK_ELEMENTS.has(name) || INLINE_ELEMENTS.has(name);
      if (!closing) hide(name, attributes);
      if (BLOCK_ELEMENTS.has(name)) endLine();
      else if (!isKnown && closing) hasEnded = true;
      else if (!isKnown) isBreak ||= hasEnded;
      if (closing && hiding.depth > 0 && name === hiding.name) hiding.depth--;
      const isCode = !isXml && !closing && CODE.has(name);
      if (onlyDecoded && !attributes.includes("&")) return isCode;
      const isShown = (each: string) => isKnown && SHOWN.has(each);
      for (const value of attributeValues(attributes, isShown)) {
        if (value === "") continue;
        endLine();
        add(value);
        endLine();
      }
      asides.push(...attributeValues(attributes, (each) => !isShown(each)));
      const rest = textInTag(attributes);
      if (rest.length > MAX_FLAG_CHARACTERS) asides.push(rest);
      for (const each of [name, ...attributeNames(attributes)])
        if (each.length > MAX_FLAG_CHARACTERS) longNames.add(each);
      return isCode;
    },
  };
  await walkMarkup(source, visitor, slicer);
  endLine();
  return { lines, asides: [...asides, ...longNames] };
}

const XML = /^\s*<\?xml/;

const createLine = (): Line => ({ pieces: [], breaks: [], hidden: new Set(), isDecoded: false });

/** The attribute, and inline styles. Style sheets are not read. */
const HIDDEN =
  /(?:^|\s)hidden(?=[\s=/]|$)|(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|(?:font-size|opacity)\s{0,9}:\s{0,9}0(?![\d.]*[1-9]))/i;

const CODE = new Set(["script", "style"]);
/** Attributes that are shown in the place of their element. Tooltips and names that are read aloud are not. */
const SHOWN = new Set(["alt", "placeholder", "content", "value", "label"]);
/** Longer than most names and than attributes without a value, such as `hidden` and `disabled`: may be text or a number. */
const MAX_FLAG_CHARACTERS = 12;
