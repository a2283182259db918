/** Reads the text of all parts of a zip archive, such as a Word, Excel or PowerPoint document. */

import { containsBinary, decodeText } from "./decode-text.ts";
import { isDocumentProblem } from "./document-problem.ts";
import { detectFileKind } from "./file-kind.ts";
import type { PartText, UnreadPart } from "./read-document-text.ts";
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
  readPart: (bytes: Uint8Array) => Promise<PartText>,
): Promise<Pick<PartText, "text" | "unread">> {
  const zip = readZip(bytes, budget);
  const entries = zip.entries.filter(({ name }) => !name.endsWith("/"));
  // The body first, if it has its usual name.
  entries.sort((one, other) => Number(BODY.test(other.name)) - Number(BODY.test(one.name)));
  const unread = new Map<string, UnreadPart>();
  if (zip.has_hidden_bytes) unread.set(OUTSIDE.reason, OUTSIDE);
  let text = "";
  for (const { name, read } of entries) {
    if (text.length > budget.characters) break;
    try {
      const part = await read();
      const xml = detectFileKind(part) === undefined ? decodeText(part, null) : undefined;
      const isXml = xml !== undefined && XML.test(xml) && !containsBinary(xml);
      if (isXml) text += `${await readXmlText(xml, budget.slicer)}\n`;
      else {
        const nested = await readPart(part);
        text += `${nested.text}\n`;
        for (const each of nested.unread) unread.set(each.reason, each);
      }
    } catch (thrown) {
      if (!isDocumentProblem(thrown)) throw thrown;
      const { kind: problem, message: reason } = thrown;
      if (problem !== "binary" || !DEVICE_DATA.test(name)) unread.set(reason, { problem, reason });
      if (problem === "over_budget") break;
    }
  }
  const names = zip.entries.map(({ name }) => name).filter((name) => !isOrdinary(name));
  const comments = zip.comments.filter((comment) => comment !== "");
  return { text: [text, ...names, ...comments].join("\n"), unread: [...unread.values()] };
}

/** Returns whether a name hides neither prose nor a card, an account or a token. */
const isOrdinary = (name: string): boolean => ORDINARY_NAME.test(name) && !TOKEN.test(name);
const TOKEN = /(?=[\w-]*\d)[\w-]{20}/;
const ORDINARY_NAME = /^(?!(?:\D*\d){7})[\w./[\]-]{0,100}$/;

const OUTSIDE: UnreadPart = {
  problem: "unreadable",
  reason: "The archive has bytes outside of its files.",
};
const BODY = /^(?:word\/document\d{0,3}\.xml|xl\/sharedstrings\.xml|ppt\/slides\/[^/]*)$/i;
const XML = /^\s*<(?:\?xml|[\w.-]{1,40}:[\w.-]{1,40}[\s/>]|!--)/;
/** Parts that Office adds to the content: printer settings and fonts. */
const DEVICE_DATA = /printersettings\d{0,4}\.bin$|\.(?:odttf|fntdata)$/i;

/** Includes deleted text and field codes of tracked changes: a model that receives the file reads them too. */
async function readXmlText(xml: string, slicer: TimeSlicer): Promise<string> {
  const pieces: string[] = [];
  /** At the end: in their place they would part a number. */
  const asides: string[] = [];
  const isOffice = OFFICE.test(xml.slice(0, OFFICE_HEAD));
  const visitor: MarkupVisitor = {
    text: (text) => pieces.push(text),
    comment: (text) => asides.push(text),
    tag({ name, closing, attributes }) {
      const local = name.slice(name.indexOf(":") + 1);
      if (closing ? BLOCKS.has(local) : local === "br" || local === "cr") pieces.push("\n");
      else if (local === "tab" && !closing) pieces.push("\t");
      else if (!closing) {
        const names = TEXT_ATTRIBUTES.get(local);
        if (!isOffice) asides.push(...attributeValues(attributes));
        else if (names) asides.push(...attributeValues(attributes, (each) => names.has(each)));
      }
      return false;
    },
  };
  await walkMarkup(xml, visitor, slicer);
  return [pieces.join(""), ...asides].join("\n");
}

/** The namespaces of Office and OpenDocument. Other vocabularies keep their data in any attribute. */
const OFFICE =
  /schemas\.openxmlformats\.org|schemas[.-]microsoft[.-]com|urn:oasis:names:tc:opendocument/;
const OFFICE_HEAD = 4096;

/** Elements that end a line: a paragraph, a cell or string of a sheet, a value. */
const BLOCKS = new Set(["p", "c", "si", "row", "v", "pt", "h", "title", "creator", "description"]);

/** Alternative texts, link targets, field codes, names of sheets. */
const ALT = new Set(["descr", "title"]);
const TEXT_ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["docpr", ALT],
  ["cnvpr", ALT],
  ["relationship", new Set(["target"])],
  ["fldsimple", new Set(["w:instr", "instr"])],
  ["listitem", new Set(["w:displaytext", "w:value"])],
  ["sheet", new Set(["name"])],
  ["textpath", new Set(["string"])],
  ["docvar", new Set(["w:val"])],
  ["default", new Set(["w:val"])],
  ["hyperlink", new Set(["w:tooltip", "tooltip", "display"])],
  ["datavalidation", new Set(["prompt", "error"])],
]);
