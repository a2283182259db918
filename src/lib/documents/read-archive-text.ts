/** Reads the text of all parts of a zip archive, such as a Word, Excel or PowerPoint document. */

import { readText } from "./decode-text.ts";
import { isDocumentProblem } from "./document-problem.ts";
import { detectFileKind } from "./file-kind.ts";
import { createPackageParts, hasContentTypes } from "./package-parts.ts";
import type { PartText, UnreadPart } from "./read-document-text.ts";
import { isHtml } from "./read-html-text.ts";
import type { ReadPart } from "./read-parts.ts";
import { readZip } from "./read-zip.ts";
import type { ReadingBudget } from "./reading-budget.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import { attributeValues, type MarkupVisitor, walkMarkup } from "./walk-markup.ts";

/**
 * Reads every part: relationships may give the body of a document any name, and an altChunk adds documents of
 * other kinds. `readPart` reads the parts that are not XML.
 */
export async function readArchiveText(
  bytes: Uint8Array,
  budget: ReadingBudget,
  readPart: ReadPart,
): Promise<Pick<PartText, "text" | "unread">> {
  const zip = readZip(bytes, budget);
  const entries = zip.entries.filter(({ name }) => !name.endsWith("/"));
  entries.sort((one, other) => toRank(one.name) - toRank(other.name));
  const parts = createPackageParts(budget.slicer);
  const unread = new Map<string, UnreadPart>();
  /** Bytes that are not text, with the names of their parts: later parts may show that they are no content. */
  const binary: { name: string; each: UnreadPart }[] = [];
  const list = (name: string, each: UnreadPart) => {
    if (each.problem === "binary") binary.push({ name, each });
    else unread.set(each.reason, each);
  };
  if (zip.has_hidden_bytes) unread.set(OUTSIDE.reason, OUTSIDE);
  let text = "";
  for (const { name, read } of entries) {
    if (text.length > budget.characters) break;
    try {
      const { content: part, has_rest } = await read();
      if (has_rest) unread.set(OUTSIDE.reason, OUTSIDE);
      const type = parts.typeOf(name);
      const charsets = type?.charsets ?? [];
      if (type?.hasUnknownCharset) list(name, UNKNOWN_CHARSET);
      const source = readText(part, charsets);
      if (source) await parts.add(name, source.text);
      const isText = source && !source.hasBinary && detectFileKind(part) === undefined;
      const xml = isText && isXml(source.text) ? source.text : undefined;
      if (xml !== undefined) {
        const read = await readXmlText(xml, budget.slicer);
        text += `${read}\n`;
        if (ENTITY.test(xml) && REFERENCE.test(read)) unread.set(ENTITIES.reason, ENTITIES);
      } else {
        const nested = await readPart(part, charsets);
        text += `${nested.text}\n`;
        for (const each of nested.unread) list(name, each);
      }
    } catch (thrown) {
      if (!isDocumentProblem(thrown)) throw thrown;
      const { kind: problem, message: reason } = thrown;
      list(name, { problem, reason });
      if (problem === "over_budget") break;
    }
  }
  for (const { name, each } of binary) if (!parts.isDeviceData(name)) unread.set(each.reason, each);
  const names = zip.entries.map(({ name }) => name).filter((name) => !isOrdinary(name));
  const comments = zip.comments.filter((comment) => comment !== "");
  return { text: [text, ...names, ...comments].join("\n"), unread: [...unread.values()] };
}

/** Sorts the content types, which declare charsets, before the body, if it has its usual name, and other parts. */
function toRank(name: string): number {
  if (hasContentTypes(name)) return 0;
  return BODY.test(name) ? 1 : 2;
}

/** Returns whether a name hides neither prose nor a card, an account or a token. */
const isOrdinary = (name: string): boolean => ORDINARY_NAME.test(name) && !TOKEN.test(name);
const TOKEN = /(?=[\w-]*\d)[\w-]{20}/;
const ORDINARY_NAME = /^(?!(?:\D*\d){7})[\w./[\]-]{0,100}$/;

const UNKNOWN_CHARSET: UnreadPart = {
  problem: "binary",
  reason: "A part declares an unknown charset.",
};
const OUTSIDE: UnreadPart = {
  problem: "unreadable",
  reason: "The archive has bytes outside of its files.",
};
/** A definition of an entity, and a reference that is left in the text. */
const ENTITY = /<!ENTITY\s/;
const REFERENCE = /&[A-Za-z_][\w.-]{0,100};/;
const ENTITIES: UnreadPart = {
  problem: "unreadable",
  reason: "The text refers to entities that the document defines.",
};
const BODY = /^(?:word\/document\d{0,3}\.xml|xl\/sharedstrings\.xml|ppt\/slides\/[^/]*)$/i;
const XML = /^\s*<(?:\?xml|[\w.-]{1,40}:[\w.-]{1,40}[\s/>]|!--|!DOCTYPE(?!\s+html))/i;
/** Office formats need neither a declaration nor a prefix. */
const isXml = (text: string): boolean =>
  XML.test(text) || (/^\s*</.test(text) && !isHtml(text) && OFFICE.test(text));

/** Includes deleted text and field codes of tracked changes: a model that receives the file reads them too. */
async function readXmlText(xml: string, slicer: TimeSlicer): Promise<string> {
  const pieces: string[] = [];
  /** At the end: in their place they would part a number. */
  const asides = new Set<string>();
  /** The element at whose end text is shown again. */
  let hidingElement: string | undefined;
  /** The first piece of the current line, and its hidden pieces with the elements that hide them. */
  let lineStart = 0;
  let hidden = new Map<number, string>();
  const head = xml.slice(0, OFFICE_HEAD);
  const isOffice = OFFICE.test(head);
  const hasRuns = isOffice && !OPEN_DOCUMENT.test(head);
  /** The last tag, if it is an opening one, and whether text follows it. */
  let leaf: string | undefined;
  let isFilled = false;
  /** The last text in the line, and whether a tag follows it. */
  let last = "";
  let isParted = false;
  const add = (text: string) => {
    if (hidingElement !== undefined) hidden.set(pieces.length, hidingElement);
    pieces.push(text);
  };
  /** Some readers leave out hidden text, and so join a number that it parts. */
  const endLine = () => {
    last = "";
    if (hidingElement !== undefined) return add("\n");
    if (hidden.size > 0) {
      const line = pieces.slice(lineStart);
      const join = (isShown: (element: string | undefined) => boolean) =>
        asides.add(line.filter((_, index) => isShown(hidden.get(lineStart + index))).join(""));
      for (const branch of BRANCHES) join((element) => !element || element === branch);
      join((element) => element !== undefined);
      hidden = new Map();
    }
    pieces.push("\n");
    lineStart = pieces.length;
  };
  const visitor: MarkupVisitor = {
    isXml: true,
    text(text) {
      isFilled ||= /\S/.test(text);
      add(text);
      // Outside of runs, elements may be parts of a word, or values of their own.
      const isRun = hasRuns && leaf === "t";
      if (isParted && !isRun && /^\S/.test(text) && /\S$/.test(last)) asides.add(last).add(text);
      last = text;
      isParted = false;
      if (hasRuns && leaf === "v" && EXPONENT.test(text)) asides.add(String(Number(text)));
    },
    comment: (text) => asides.add(text),
    tag({ name, closing, attributes }) {
      const local = localName(name);
      const isValue = hasRuns && closing && isFilled && local === leaf && !RUNS.has(local);
      leaf = closing ? undefined : local;
      isFilled = false;
      isParted = true;
      if (closing) {
        // The mark of a paragraph may be hidden, too.
        const isMark = hidingElement === "r" && local === "ppr";
        if (local === hidingElement || isMark) hidingElement = undefined;
        if (isValue || BLOCKS.has(local)) endLine();
        return false;
      }
      if (local === "vanish") hidingElement ??= "r";
      else if (HIDDEN.has(local) && !attributes.endsWith("/")) hidingElement ??= local;
      else if (local === "br" || local === "cr" || local === "line-break") endLine();
      else if (local === "tab" || local === "ptab") add("\t");
      else if (local === "s" && isOffice && !hasRuns) add(" ");
      else if (local === "nobreakhyphen") add("-");
      else if (local === "sym") add(readSymbol(attributes));
      for (const value of readAttributes(local, attributes, isOffice)) asides.add(value);
      return false;
    },
  };
  await walkMarkup(xml, visitor, slicer);
  hidingElement = undefined;
  endLine();
  return [pieces.join(""), ...asides].join("\n");
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Alternatives of which a reader shows one. */
const BRANCHES = ["choice", "fallback"];

/** A number of a sheet that its reader shows without an exponent. */
const EXPONENT = /^\s*\d{1,20}(?:\.\d{1,20})?E[+-]?\d{1,2}\s*$/i;

/** Elements whose text is not in the line around them. A run of Word with the property `vanish` is hidden, too. */
const HIDDEN = new Set([
  ...BRANCHES,
  ...["del", "deltext", "movefrom", "instrtext", "delinstrtext"], // tracked changes and field codes
  ...["rph", "rt", "ruby-text"], // phonetic guides
  ...["txbxcontent", "text-box", "annotation", "note"], // text boxes, comments and footnotes
  ...["hidden-text", "script"], // fields of OpenDocument
  ...["posoffset", "align", "pctwidth", "pctheight"], // positions of drawings
]);

/** Elements with text that may continue the text before them. In Office formats, other text is a value of its own. */
const RUNS = new Set(["t", ...HIDDEN]);
const OPEN_DOCUMENT = /urn:oasis:names:tc:opendocument/;

/** The namespaces of Office and OpenDocument. Other vocabularies keep their data in any attribute. */
const OFFICE =
  /schemas\.openxmlformats\.org|schemas[.-]microsoft[.-]com|urn:oasis:names:tc:opendocument/;
const OFFICE_HEAD = 4096;

/** Elements that end a line: a paragraph, a cell, string or comment of a sheet, a value. */
const BLOCKS = new Set([
  ...["p", "c", "si", "row", "v", "pt", "h", "comment"],
  ...["title", "creator", "description"],
]);

/** Returns the character of `<w:sym w:char="F034"/>`. Fonts of symbols begin at U+F000. */
function readSymbol(attributes: string): string {
  const [hex = ""] = attributeValues(attributes, (name) => localName(name) === "char");
  const code = Number.parseInt(hex, 16);
  if (!(code > 0 && code <= 0xffff)) return "";
  return String.fromCharCode(code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code);
}

/** Returns the values of the attributes that readers show, and of others that may be prose or a card. */
function readAttributes(element: string, attributes: string, isOffice: boolean): string[] {
  if (!isOffice) return attributeValues(attributes);
  const names = TEXT_ATTRIBUTES.get(element);
  if (!names && !MAY_SHOW.test(attributes)) return NO_VALUES;
  const isShown = (name: string) => names?.has(localName(name)) || SHOWN.test(name);
  const shown = attributeValues(attributes, isShown);
  const others = attributeValues(attributes, (name) => !isShown(name) && !NO_TEXT.test(name));
  return [...shown, ...others.filter(mayBeText)];
}

const mayBeText = (value: string): boolean =>
  CARD_DIGITS.test(value) || (value.length > MAX_NAME_CHARACTERS && /\s/.test(value));

/** Names of styles and fonts are shorter. */
const MAX_NAME_CHARACTERS = 40;
const CARD_DIGITS = /(?:\d\W{0,4}){12}/;
/** Namespaces, digests of fonts, encoded drawings. */
const NO_TEXT = /^xmlns|panose|gfxdata/;
/** Attributes of any element: values of cells and fields, numbers of lists, authors of changes. */
const NAMES =
  "(?:value|formula|num-prefix|num-suffix|author|title|label|caption|tooltip|descr|alt)";
const SHOWN = new RegExp(`${NAMES}$`);
/** Prefilter: most elements have only short attributes. With CARD_DIGITS, a large sheet takes twice as long. */
const MAY_SHOW = new RegExp(`${NAMES}\\s{0,20}=|\\d[\\d\\W]{11}|"[^"]{41}|'[^']{41}`, "i");
const NO_VALUES: string[] = [];

/** Alternative texts, link targets, field codes, names of sheets, labels of lists, data of pivot tables. */
const NAME = new Set(["name"]);
const VALUE = new Set(["val"]);
const CACHED = new Set(["v"]);
const ALT = new Set(["descr", "name"]);
const TEXT_ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["docpr", ALT],
  ["cnvpr", ALT],
  ["relationship", new Set(["target"])],
  ["fldsimple", new Set(["instr"])],
  ["listitem", new Set(["displaytext"])],
  ["textpath", new Set(["string"])],
  ["hyperlink", new Set(["tooltip", "display"])],
  ["datavalidation", new Set(["prompt", "prompttitle", "error", "errortitle"])],
  ["numfmt", new Set(["formatcode"])],
  ["buchar", new Set(["char"])],
  ["definedname", new Set(["comment"])],
  ["person", new Set(["displayname"])],
  ["cfrule", new Set(["text"])],
  ...["sheet", "table", "property", "cmauthor", "cachefield"].map((each) => [each, NAME] as const),
  ...["tablecolumn", "datafield", "pivotfield", "section"].map((each) => [each, NAME] as const),
  ...["docvar", "default", "lvltext", "alias", "helptext", "statustext", "filter"].map(
    (each) => [each, VALUE] as const,
  ),
  ...["listentry", "tblcaption", "tbldescription", "tag", "customfilter"].map(
    (each) => [each, VALUE] as const,
  ),
  ...["s", "n"].map((each) => [each, CACHED] as const),
]);
