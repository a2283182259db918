/** Reads the text of XML in the formats of Office and OpenDocument. */

import { isHtml, isXhtml } from "./read-html-text.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import { attributeValues, type MarkupVisitor, walkMarkup } from "./walk-markup.ts";

const XML = /^\s*<(?:\?xml|[\w.-]{1,40}:[\w.-]{1,40}[\s/>]|!--|!DOCTYPE(?!\s+html))/i;
/** Office formats need neither a declaration nor a prefix. */
export const isXml = (text: string): boolean =>
  (XML.test(text) && !isXhtml(text)) || (/^\s*</.test(text) && !isHtml(text) && OFFICE.test(text));

/** Includes deleted text and field codes of tracked changes: a model that receives the file reads them too. */
export async function readXmlText(xml: string, slicer: TimeSlicer): Promise<string> {
  const pieces: string[] = [];
  /** At the end: in their place they would part a number. */
  const asides = new Set<string>();
  /** The element at whose end text is shown again. */
  let hidingElement: string | undefined;
  /** The first piece of the current line, and its hidden pieces with the elements that hide them. */
  let lineStart = 0;
  let hidden = new Map<number, string>();
  const isOffice = isOfficeXml(xml);
  const hasRuns = isOffice && !OPEN_DOCUMENT.test(xml.slice(0, OFFICE_HEAD));
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
      if (BLOCKS.has(local) && last !== "") endLine();
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

/** Returns whether the beginning names a namespace of Office or OpenDocument. */
export const isOfficeXml = (xml: string): boolean => OFFICE.test(xml.slice(0, OFFICE_HEAD));

/** The namespaces of Office and OpenDocument. Other vocabularies keep their data in any attribute. */
const OFFICE =
  /schemas\.openxmlformats\.org|schemas[.-]microsoft[.-]com|urn:oasis:names:tc:opendocument/;
const OFFICE_HEAD = 4096;

/** Elements that begin and end a line: a paragraph, a cell, string or comment of a sheet, a value. */
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
