/** Walks HTML or XML once, in document order. Never fails: what is not markup is text. */
import { decodeEntities } from "./decode-entities.ts";
import { MAX_CHARACTERS } from "./reading-budget.ts";
import type { TimeSlicer } from "./time-slicer.ts";

/** Offsets in the source. */
export interface SourceRange {
  from: number;
  to: number;
}

export interface Tag extends SourceRange {
  /** In lower case, with its prefix. */
  name: string;
  closing: boolean;
  /** As written between the name and the `>`; the offsets are theirs. */
  attributes: string;
}

export interface MarkupVisitor {
  /** Names may begin with any letter, and a processing instruction ends with `?>`. */
  isXml?: boolean;
  /** `isDecoded`: the source has character references, or is a CDATA section. */
  text: (text: string, isDecoded: boolean, range: SourceRange) => void;
  comment: (text: string) => void;
  /** Return true if everything up to the closing tag of this name is not markup: it is visited as a comment. */
  tag: (tag: Tag) => boolean;
}

export async function walkMarkup(
  source: string,
  visitor: MarkupVisitor,
  slicer: TimeSlicer,
): Promise<void> {
  const opening = visitor.isXml ? XML_OPENING : HTML_OPENING;
  let at = 0;
  while (at < source.length) {
    if (slicer.isDue()) await slicer.yield();
    opening.lastIndex = at;
    const open = opening.exec(source)?.index ?? source.length;
    // In pieces, because one text of many megabytes would block other requests.
    while (at < open) {
      const rest = source.slice(at, Math.min(at + PIECE, open));
      const piece = at + PIECE < open ? rest.replace(CUT_REFERENCE, "") || rest : rest;
      const text = decodeEntities(piece);
      visitor.text(text, text !== piece, { from: at, to: at + piece.length });
      at += piece.length;
      if (slicer.isDue(piece.length / 128)) await slicer.yield();
    }
    if (open === source.length) return;
    const declaration = source[open + 1] === "!" || source[open + 1] === "?";
    at = (declaration ? walkDeclaration : walkTag)(source, open, visitor);
    // A tag may have thousands of attributes.
    if (slicer.isDue((at - open) / 128)) await slicer.yield();
  }
}

const HTML_OPENING = /<(?=[!?]|\/?[A-Za-z])/g;
const XML_OPENING = /<(?=[!?]|\/?[\p{L}_])/gu;
const PIECE = 64 * 1024;
/** The beginning of a character reference at the end of a piece. */
const CUT_REFERENCE = /&#?[\dA-Za-z]{0,40}$/;

export interface Attribute {
  /** In lower case, with its prefix. */
  name: string;
  value: string;
}

/** Returns the attributes with their values decoded, and what the tag contains besides them. */
export function parseAttributes(source: string): { attributes: Attribute[]; rest: string } {
  const attributes: Attribute[] = [];
  if (!source.includes("=")) return { attributes, rest: source.trim() };
  let rest = "";
  let end = 0;
  for (const match of source.matchAll(ATTRIBUTE)) {
    rest += `${source.slice(end, match.index)} `;
    end = match.index + match[0].length;
    attributes.push({ name: readName(match), value: readValue(match) });
  }
  return { attributes, rest: (rest + source.slice(end)).trim() };
}

/** Returns the values of the attributes that `isRead` selects by name, or of all, entities decoded. */
export function attributeValues(attributes: string, isRead?: (name: string) => boolean): string[] {
  if (!attributes.includes("=")) return [];
  return [...attributes.matchAll(ATTRIBUTE)]
    .filter((match) => isRead?.(readName(match)) ?? true)
    .map(readValue);
}

const readName = ([, name = ""]: RegExpExecArray): string => name.toLowerCase();
const readValue = ([, , double, single, bare]: RegExpExecArray): string =>
  decodeEntities(double ?? single ?? bare ?? "");

/** Linear: a name is tried only where one can start, and its length is limited. */
const ATTRIBUTE =
  /(?<![^\s"'=<>/])([^\s"'=<>/]{1,200})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

/** Reads a comment, CDATA section or declaration; returns the offset after it. */
function walkDeclaration(source: string, open: number, visitor: MarkupVisitor): number {
  const { text, comment, isXml } = visitor;
  const [begin, end, visit] = source.startsWith("<!--", open)
    ? ["<!--", "-->", comment]
    : source.startsWith("<![CDATA[", open)
      ? ["<![CDATA[", "]]>", text]
      : ["<!", isXml && source.startsWith("<?", open) ? "?>" : ">", comment];
  const close = source.indexOf(end, open + begin.length);
  const range = { from: open + begin.length, to: close < 0 ? source.length : close };
  const content = source.slice(range.from, range.to);
  if (!PROLOGUE.test(content)) visit(content, true, range);
  return close < 0 ? source.length : close + end.length;
}

/** Declarations without text. Browsers treat others as comments, and a document type may define entities. */
const PROLOGUE =
  /^(?:doctype\s+html\s*|xml(?:\s+(?:version|encoding|standalone)\s*=\s*["'][\w.-]{0,12}["'])*\s*\??)$/i;

/** The values of a tag this long may contain pages and images. As text, a longer one exceeds the budget of a document. */
const MAX_TAG_CHARACTERS = MAX_CHARACTERS;
const NAME = /\/?([^\s/><!?][^\s/><]{0,99})/y;

function walkTag(source: string, open: number, visitor: MarkupVisitor): number {
  NAME.lastIndex = open + 1;
  const [written = "", letters = ""] = NAME.exec(source) ?? [];
  const end = tagEnd(source, NAME.lastIndex);
  if (end < 0) {
    // A browser hides everything after an unclosed tag; here it is text. All of it at once: a search for the end
    // from each `<` would take quadratic time.
    visitor.text(source.slice(open), false, { from: open, to: source.length });
    return source.length;
  }
  const name = letters.toLowerCase();
  const closing = source[open + 1] === "/";
  const [from, to] = [open + 1 + written.length, end];
  const attributes = source.slice(from, to);
  const isTooLong = attributes.length > MAX_TAG_CHARACTERS;
  if (isTooLong) visitor.text(attributes, false, { from, to });
  const isRaw = visitor.tag({ name, closing, attributes: isTooLong ? "" : attributes, from, to });
  if (!isRaw || closing) return end + 1;
  const closed = closingTag(source, name, end + 1);
  if (closed < 0) visitor.text(source.slice(end + 1), false, { from: end + 1, to: source.length });
  else visitor.comment(source.slice(end + 1, closed));
  return closed < 0 ? source.length : closed;
}

function closingTag(source: string, name: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = source.indexOf("</", at);
    if (at < 0) return -1;
    if (source.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
}

/** Returns the offset of the next `>` outside of quotes, or -1. */
function tagEnd(source: string, from: number): number {
  let at = from;
  for (;;) {
    QUOTE_OR_END.lastIndex = at;
    const found = QUOTE_OR_END.exec(source);
    if (!found) return -1;
    if (found[0] === ">") return found.index;
    const close = source.indexOf(found[0], found.index + 1);
    if (close < 0) return -1;
    at = close + 1;
  }
}

const QUOTE_OR_END = /["'>]/g;
