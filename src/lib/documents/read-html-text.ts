/** Reads the text of an HTML page with hidden text, comments and scripts, because attacks hide instructions there. */

import { findChangedRanges, MAX_WHOLE_CHARACTERS, type Piece } from "./changed-ranges.ts";
import { createHiding } from "./hidden-elements.ts";
import { BLOCK_ELEMENTS, INLINE_ELEMENTS, PREFORMATTED_ELEMENTS } from "./html-elements.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import {
  type MarkupVisitor,
  parseAttributes,
  type SourceRange,
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

/** Includes XML, and text with elements or comments of HTML. Programs contain other names in `<` and `>`. */
export const isMarkup = (text: string): boolean => isHtml(text) || MARKUP.test(text);
const NAMES = [...INLINE_ELEMENTS, ...BLOCK_ELEMENTS].join("|");
const MARKUP = new RegExp(`^\\s*<[?!a-z]|<(?:!--|\\/[a-z]|(?:!doctype|${NAMES})[\\s/>])`, "i");

/** Includes any name in `<` and `>`, and tags that are cut. */
export const hasTags = (text: string): boolean => TAG.test(text);
const TAG = /<(?:[?!]|\/?[a-z])/i;

/** Detects a whole page, also after other text. Programs contain tags. */
export const containsPage = (text: string): boolean => isHtml(text) || PAGE.test(text);
const PAGE = /<(?:!doctype html|html)[\s>]/i;

export async function readHtmlText(source: string, slicer: TimeSlicer): Promise<string> {
  const page = await readLines(source, false, slicer);
  const nested = await readNestedLines(page, slicer);
  return [...page.lines.flatMap(partsOf).map(joinText), ...[...page.asides, ...nested].map(textOf)]
    .join("\n")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

/** A line of a page. What is in none of its pieces, the source contains in another form. */
export interface PageLine {
  text: string;
  /** In order. */
  pieces: readonly PagePiece[];
}

/** Text between two tags, which the source contains in one piece. */
export interface PagePiece extends SourceRange {
  /** Offsets in the text without tags. */
  start: number;
  end: number;
}

/**
 * Returns the lines and values that differ from the source: tags part them, references encode their characters, or white
 * space parts a number.
 */
export async function readChangedLines(source: string, slicer: TimeSlicer): Promise<PageLine[]> {
  const page = await readLines(source, true, slicer);
  const asides = page.asides.map(toLine);
  return [...changedLines(page), ...asides, ...(await readNestedLines(page, slicer))];
}

/** Reads markup that is escaped or in an attribute, such as the articles of a feed and `srcdoc`. */
async function readNestedLines(
  { lines, nested }: Page,
  slicer: TimeSlicer,
  depth = 1,
): Promise<PageLine[]> {
  const decoded = lines.filter(({ isDecoded }) => isDecoded).flatMap(partsOf);
  const sources = decoded.map(
    (pieces): Piece => ({
      ...UNKNOWN,
      ...(pieces.length === 1 && pieces[0]),
      text: joinText(pieces),
    }),
  );
  const changed: PageLine[][] = [];
  for (const source of [...sources, ...nested]) {
    const { text } = source;
    if (!isMarkup(text)) continue;
    const page = await readLines(text, true, slicer);
    const below = depth < MAX_NESTING ? await readNestedLines(page, slicer, depth + 1) : [];
    changed.push([...changedLines(page), ...below].map((line) => placeLine(line, source)));
  }
  return changed.flat();
}
/** A frame in an article of a feed is two levels deep. */
const MAX_NESTING = 3;

/** Replaces the offsets in decoded text by the range that it is decoded from. */
const placeLine = ({ text, pieces }: PageLine, { from, to }: SourceRange): PageLine => ({
  text,
  pieces: from < 0 ? [] : pieces.map(({ start, end }) => ({ start, end, from, to })),
});

function changedLines({ source, lines }: Page): PageLine[] {
  const changed: PageLine[] = [];
  for (const line of lines) {
    for (const part of partsOf(line)) {
      if (line.isDecoded) {
        changed.push(joinPieces(part));
        continue;
      }
      const isParted = part.filter(({ text }) => text !== " ").length > 1;
      const kept = part.flatMap((piece) => keepChanged(source, piece, isParted));
      if (kept.length > 0) changed.push(joinPieces(kept));
    }
  }
  return changed;
}

const textOf = ({ text }: { text: string }): string => text;
const joinText = (pieces: readonly Piece[]): string => pieces.map(textOf).join("");
const toLine = (piece: Piece): PageLine => joinPieces([piece]);

function joinPieces(parts: readonly Piece[]): PageLine {
  const pieces: PagePiece[] = [];
  let end = 0;
  for (const { text, from, to } of parts) {
    const start = end;
    end += text.length;
    if (from >= 0 && text !== " ") pieces.push({ start, end, from, to });
  }
  return { text: joinText(parts), pieces };
}

/** Keeps what may differ from the source, in lines of its own. */
function keepChanged(source: string, piece: Piece, isParted: boolean): Piece[] {
  if (isParted && piece.text.length <= MAX_WHOLE_CHARACTERS) return [piece];
  return findChangedRanges(source, piece, isParted).flatMap(({ from, to }, index) => {
    const kept = { text: source.slice(from, to).replace(/\s+/g, " "), from, to };
    return index === 0 ? [kept] : [{ text: "\n", ...UNKNOWN }, kept];
  });
}

interface Page {
  source: string;
  lines: Line[];
  /** Comments and attributes. At the end: in their places, they would part a number. */
  asides: Piece[];
  /** Values of attributes that may be markup. */
  nested: Piece[];
}

interface Line {
  pieces: Piece[];
  /** Indexes of the pieces that begin a line of their own. */
  breaks: number[];
  isDecoded: boolean;
  /** Hidden text was left out. */
  hasHidden: boolean;
}

const UNKNOWN: SourceRange = { from: -1, to: -1 };

/** Returns the pieces of a line between its breaks. */
const partsOf = ({ pieces, breaks }: Line): Piece[][] =>
  [0, ...breaks].map((start, index) => pieces.slice(start, breaks[index]));

/**
 * Elements that HTML does not define are shown inline, but a style or another vocabulary may make them lines of their own:
 * a line breaks where one ends and another begins. `onlyDecoded`: leaves out attributes and comments without references.
 */
async function readLines(source: string, onlyDecoded: boolean, slicer: TimeSlicer): Promise<Page> {
  const lines: Line[] = [];
  const asides: Piece[] = [];
  const nested: Piece[] = [];
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
  /** Number of preformatted elements that are open. */
  let preformatted = 0;
  const isXml = XML.test(source) && !isXhtml(source);
  const visitor: MarkupVisitor = {
    isXml,
    text(source, isDecoded, { from, to }) {
      const text = source.replace(/\s+/g, " ");
      const piece = { text, from, to, keepsSpace: preformatted > 0 };
      addPiece(line, piece, { isContinued, isBreak, isDecoded });
      if (hiding.isHidden()) shown.hasHidden = true;
      else addPiece(shown, piece, { isContinued, isBreak, isDecoded });
      if (text !== " ") hasEnded = isBreak = false;
      isContinued = true;
    },
    comment(text) {
      if (!onlyDecoded) asides.push({ text, ...UNKNOWN });
      isContinued = false;
    },
    tag({ name, closing, attributes: written, from, to }) {
      isContinued = false;
      const isKnown = BLOCK_ELEMENTS.has(name) || INLINE_ELEMENTS.has(name);
      if (!closing) hiding.open(name, written);
      if (PREFORMATTED_ELEMENTS.has(name))
        preformatted = Math.max(0, preformatted + (closing ? -1 : 1));
      if (BLOCK_ELEMENTS.has(name)) endLine();
      else if (!isKnown && closing) hasEnded = true;
      else if (!isKnown) isBreak ||= hasEnded;
      if (closing) hiding.close(name);
      const isCode = !isXml && !closing && CODE.has(name);
      if (onlyDecoded && !MAY_DECODE.test(written)) return isCode;
      const { attributes, rest } = parseAttributes(written);
      for (const { value } of attributes)
        if (value.includes("<")) nested.push({ text: value, from, to });
      if (onlyDecoded && !written.includes("&")) return isCode;
      for (const { name: attribute, value } of attributes) {
        if (attribute.length > MAX_FLAG_CHARACTERS) longNames.add(attribute);
        if (!isKnown || !SHOWN.has(attribute)) asides.push({ text: value, from, to });
        else if (value !== "") {
          endLine();
          line.pieces.push({ text: value, from, to, keepsSpace: true });
          endLine();
        }
      }
      if (rest.length > MAX_FLAG_CHARACTERS) asides.push({ text: rest, from, to });
      if (name.length > MAX_FLAG_CHARACTERS) longNames.add(name);
      return isCode;
    },
  };
  await walkMarkup(source, visitor, slicer);
  endLine();
  if (shown.hasHidden) shownLines.push(shown);
  for (const text of longNames) asides.push({ text, ...UNKNOWN });
  return { source, lines: [...lines, ...shownLines], asides, nested };
}

const XML = /^\s*<\?xml/;
const MAY_DECODE = /[<&]/;

const createLine = (): Line => ({ pieces: [], breaks: [], isDecoded: false, hasHidden: false });

interface PieceContext {
  isContinued: boolean;
  isBreak: boolean;
  isDecoded: boolean;
}

function addPiece(
  line: Line,
  piece: Piece,
  { isContinued, isBreak, isDecoded }: PieceContext,
): void {
  const before = isContinued ? line.pieces.pop() : undefined;
  if (isBreak && piece.text !== " ") line.breaks.push(line.pieces.length);
  line.pieces.push(before ? { ...before, text: before.text + piece.text, to: piece.to } : piece);
  line.isDecoded ||= isDecoded;
}

const CODE = new Set(["script", "style"]);
/** Attributes that are shown in the place of their element. Tooltips and names that are read aloud are not. */
const SHOWN = new Set(["alt", "placeholder", "content", "value", "label"]);
/** Longer than most names and than attributes without a value, such as `hidden` and `disabled`: may be text or a number. */
const MAX_FLAG_CHARACTERS = 12;
