/** The text of a Word document (DOCX): body, headers, footers, notes and comments. */
import { decodeText } from "./decode-text.ts";
import { documentProblem } from "./document-problem.ts";
import { attributeValues, type MarkupVisitor, walkMarkup } from "./markup.ts";
import { type Pace, startPace } from "./pace.ts";
import { type ZipEntry, zipEntries } from "./zip.ts";

/** The body first; Word also writes it as document2.xml. */
const BODY = /^word\/document\d{0,3}\.xml$/i;
const BESIDE = /^word\/(?:header|footer|comments|footnotes|endnotes)\d{0,3}\.xml$/i;
const MOST_PARTS = 200;
const MOST_WORK_MS = 4000;

export async function docxText(bytes: Uint8Array, mostCharacters: number): Promise<string> {
  const entries = zipEntries(bytes);
  const named = (pattern: RegExp) => entries.filter(({ name }) => pattern.test(name));
  const body = named(BODY);
  if (body.length === 0) throw documentProblem("The archive is not a Word document.");
  const parts: ZipEntry[] = [...body, ...named(BESIDE)];
  if (parts.length > MOST_PARTS) {
    throw documentProblem(`The Word document has more than ${MOST_PARTS} parts.`);
  }
  const pace = startPace(MOST_WORK_MS);
  let text = "";
  for (const part of parts) {
    text += `${await partText(decodeText(await part.read(), null), pace)}\n`;
    if (text.length > mostCharacters) break;
  }
  return text;
}

/** Deleted text and field codes of tracked changes count: a model that is given the file reads them too. */
async function partText(xml: string, pace: Pace): Promise<string> {
  const pieces: string[] = [];
  const visitor: MarkupVisitor = {
    text: (text) => pieces.push(text),
    comment: (text) => pieces.push(text),
    tag({ name, closing, attributes }) {
      const local = name.slice(name.indexOf(":") + 1);
      if (closing ? local === "p" : local === "br" || local === "cr") pieces.push("\n");
      else if (local === "tab" && !closing) pieces.push("\t");
      else if (local === "docpr")
        pieces.push(...attributeValues(attributes, ALT).map((alt) => `${alt}\n`));
      return false;
    },
  };
  await walkMarkup(xml, visitor, pace);
  return pieces.join("");
}

/** What a screen reader says of a picture. */
const ALT = new Set(["descr", "title"]);
