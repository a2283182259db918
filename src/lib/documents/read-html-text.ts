/** Reads the text of an HTML page with hidden text, comments and scripts, because attacks hide instructions there. */

import { createHiding } from "./hidden-elements.ts";
import { BLOCK_ELEMENTS, INLINE_ELEMENTS } from "./html-elements.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import { type MarkupVisitor, parseAttributes, walkMarkup } from "./walk-markup.ts";

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

/** Detects a whole page, also after other text. Programs contain tags. */
export const containsPage = (text: string): boolean => isHtml(text) || PAGE.test(text);
const PAGE = /<(?:!doctype html|html)[\s>]/i;

export async function readHtmlText(source: string, slicer: TimeSlicer): Promise<string> {
  const page = await readLines(source, false, slicer);
  const readings = page.lines.flatMap(partsOf).map((pieces) => pieces.join(""));
  return [...readings, ...page.asides, ...(await readNestedLines(page, slicer))]
    .join("\n")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

/** Returns the lines and values that differ from the source: tags part them, or references encode their characters. */
export async function readChangedLines(source: string, slicer: TimeSlicer): Promise<string[]> {
  const page = await readLines(source, true, slicer);
  return [...changedLines(page), ...page.asides, ...(await readNestedLines(page, slicer))];
}

/** Reads markup that is escaped or in an attribute, such as the articles of a feed and `srcdoc`. */
async function readNestedLines(
  { lines, nested }: Page,
  slicer: TimeSlicer,
  depth = 1,
): Promise<string[]> {
  const decoded = lines
    .filter(({ isDecoded }) => isDecoded)
    .flatMap(partsOf)
    .map((pieces) => pieces.join(""));
  const changed: string[][] = [];
  for (const source of [...decoded, ...nested]) {
    if (!isMarkup(source)) continue;
    const page = await readLines(source, true, slicer);
    changed.push(changedLines(page));
    if (depth < MAX_NESTING) changed.push(await readNestedLines(page, slicer, depth + 1));
  }
  return changed.flat();
}
/** A frame in an article of a feed is two levels deep. */
const MAX_NESTING = 3;

function changedLines({ lines }: Page): string[] {
  const changed: string[] = [];
  for (const line of lines) {
    for (const part of partsOf(line)) {
      if (line.isDecoded) changed.push(part.join(""));
      else if (part.filter((each) => each !== " ").length > 1)
        changed.push(part.map(keepEnds).join(""));
    }
  }
  return changed;
}

/** Keeps what may belong to a value that a tag parts, up to a space where there is one. The rest is in the source. */
function keepEnds(piece: string): string {
  if (piece.length <= 2 * END_CHARACTERS) return piece;
  const [start, end] = [piece.slice(0, END_CHARACTERS), piece.slice(-END_CHARACTERS)];
  return `${start.replace(/\S{0,100}$/, "")}\n${end.replace(/^\S{0,100}/, "")}`;
}
const END_CHARACTERS = 500;

interface Page {
  lines: Line[];
  /** Comments and attributes. At the end: in their places, they would part a number. */
  asides: string[];
  /** Values of attributes that may be markup. */
  nested: string[];
}

interface Line {
  pieces: string[];
  /** Indexes of the pieces that begin a line of their own. */
  breaks: number[];
  isDecoded: boolean;
  /** Hidden text was left out. */
  hasHidden: boolean;
}

/** Returns the pieces of a line between its breaks. */
const partsOf = ({ pieces, breaks }: Line): string[][] =>
  [0, ...breaks].map((start, index) => pieces.slice(start, breaks[index]));

/**
 * Elements that HTML does not define are shown inline, but a style or another vocabulary may make them lines of their own:
 * a line breaks where one ends and another begins. `onlyDecoded`: leaves out attributes and comments without references.
 */
async function readLines(source: string, onlyDecoded: boolean, slicer: TimeSlicer): Promise<Page> {
  const lines: Line[] = [];
  const asides: string[] = [];
  const nested: string[] = [];
  const longNames = new Set<string>();
  let line = createLine();
  /** The same without hidden text. At the end: only the beginning of long text is inspected. */
  const shownLines: Line[] = [];
  let shown = createLine();
  const hiding = createHiding();
  /** Long text is visited in several steps, which nothing parts in the source. */
  let isContinued = false;
  /** Since the last text, an unknown element has ended, and another one has begun after it. */
  let [hasEnded, isBreak] = [false, false];
  const endLine = () => {
    if (line.pieces.length > 0) lines.push(line);
    line = createLine();
    hasEnded = isBreak = false;
    if (hiding.isHidden()) return;
    if (shown.hasHidden) shownLines.push(shown);
    shown = createLine();
  };
  const isXml = XML.test(source) && !isXhtml(source);
  const visitor: MarkupVisitor = {
    isXml,
    text(text, isDecoded) {
      const piece = text.replace(/\s+/g, " ");
      addPiece(line, piece, { isContinued, isBreak, isDecoded });
      if (hiding.isHidden()) shown.hasHidden = true;
      else addPiece(shown, piece, { isContinued, isBreak, isDecoded });
      if (piece !== " ") hasEnded = isBreak = false;
      isContinued = true;
    },
    comment(text) {
      if (!onlyDecoded) asides.push(text);
      isContinued = false;
    },
    tag({ name, closing, attributes: written }) {
      isContinued = false;
      const isKnown = BLOCK_ELEMENTS.has(name) || INLINE_ELEMENTS.has(name);
      if (!closing) hiding.open(name, written);
      if (BLOCK_ELEMENTS.has(name)) endLine();
      else if (!isKnown && closing) hasEnded = true;
      else if (!isKnown) isBreak ||= hasEnded;
      if (closing) hiding.close(name);
      const isCode = !isXml && !closing && CODE.has(name);
      if (onlyDecoded && !MAY_DECODE.test(written)) return isCode;
      const { attributes, rest } = parseAttributes(written);
      for (const { value } of attributes) if (value.includes("<")) nested.push(value);
      if (onlyDecoded && !written.includes("&")) return isCode;
      for (const { name: attribute, value } of attributes) {
        if (attribute.length > MAX_FLAG_CHARACTERS) longNames.add(attribute);
        if (!isKnown || !SHOWN.has(attribute)) asides.push(value);
        else if (value !== "") {
          endLine();
          line.pieces.push(value);
          endLine();
        }
      }
      if (rest.length > MAX_FLAG_CHARACTERS) asides.push(rest);
      if (name.length > MAX_FLAG_CHARACTERS) longNames.add(name);
      return isCode;
    },
  };
  await walkMarkup(source, visitor, slicer);
  endLine();
  if (shown.hasHidden) shownLines.push(shown);
  return { lines: [...lines, ...shownLines], asides: [...asides, ...longNames], nested };
}

const XML = /^\s*<\?xml/;
const MAY_DECODE = /[<&]/;

const createLine = (): Line => ({ pieces: [], breaks: [], isDecoded: false, hasHidden: false });

interface Piece {
  isContinued: boolean;
  isBreak: boolean;
  isDecoded: boolean;
}

function addPiece(line: Line, text: string, { isContinued, isBreak, isDecoded }: Piece): void {
  const before = isContinued ? (line.pieces.pop() ?? "") : "";
  if (isBreak && text !== " ") line.breaks.push(line.pieces.length);
  line.pieces.push(before + text);
  line.isDecoded ||= isDecoded;
}

const CODE = new Set(["script", "style"]);
/** Attributes that are shown in the place of their element. Tooltips and names that are read aloud are not. */
const SHOWN = new Set(["alt", "placeholder", "content", "value", "label"]);
/** Longer than most names and than attributes without a value, such as `hidden` and `disabled`: may be text or a number. */
const MAX_FLAG_CHARACTERS = 12;
