/** Reads the text of all parts of a zip archive, such as a Word, Excel or PowerPoint document. */

import { readText } from "./decode-text.ts";
import { isDocumentProblem } from "./document-problem.ts";
import { detectFileKind } from "./file-kind.ts";
import { createPackageParts, hasContentTypes } from "./package-parts.ts";
import type { PartText, UnreadPart } from "./read-document-text.ts";
import { readChangedLines } from "./read-html-text.ts";
import type { ReadPart } from "./read-parts.ts";
import { isOfficeXml, isXml, readXmlText } from "./read-xml-text.ts";
import { readZip } from "./read-zip.ts";
import type { ReadingBudget } from "./reading-budget.ts";

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
        if (!isOfficeXml(xml))
          for (const line of await readChangedLines(xml, budget.slicer)) text += `${line.text}\n`;
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
