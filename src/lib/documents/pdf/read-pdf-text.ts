/** Reads the text of a PDF: its title, its pages in order with their notes and forms, and attached files. */
import { documentProblem } from "../document-problem.ts";
import type { PartText, UnreadPart } from "../read-document-text.ts";
import { type ReadPart, readParts } from "../read-parts.ts";
import type { ReadingBudget } from "../reading-budget.ts";
import type { TimeSlicer } from "../time-slicer.ts";
import { findAttachments, type PdfAttachments, PICTURES } from "./attachments.ts";
import { bombError } from "./decode-filter.ts";
import { decodeTextString, iterateDicts, readLooseTexts } from "./read-loose-texts.ts";
import {
  isStream,
  MAX_INFLATED_STREAM,
  type PdfObject,
  type PdfObjects,
  type PdfStream,
  readPdfObjects,
} from "./read-objects.ts";
import { type PageReading, readPageText } from "./read-page-text.ts";
import { isName, isRef, type PdfDict, type PdfValue } from "./value-reader.ts";

const MAX_PAGES = 3000;
const MAX_TREE_DEPTH = 60;
/** Nodes may share a list of children that are no pages. */
const MAX_TREE_NODES = 300_000;
/** Formulas contain a few unknown letters; a page of unknown letters must not count as read. */
const KNOWN_FOR_UNKNOWN = 5;
/** So many unknown letters side by side may be a card or an instruction. */
const MIN_CLUSTER = 12;
const UNKNOWN_LETTERS: UnreadPart = {
  problem: "unreadable",
  reason: "Some of the PDF's fonts do not define which letters they show.",
};

const SCATTERED_LETTERS: UnreadPart = {
  problem: "unreadable",
  reason: "A page of the PDF draws its text in too many separate pieces to put them in order.",
};

/** `outside`: bytes that are not part of the PDF. */
export async function readPdfText(
  bytes: Uint8Array,
  budget: ReadingBudget,
  readPart: ReadPart,
): Promise<Pick<PartText, "text" | "unread"> & { outside: Uint8Array[] }> {
  const { slicer } = budget;
  const attached: PdfAttachments = { files: new Set(), has_pictures: false };
  const objects = await readPdfObjects(bytes, budget);
  const glyphs = { known: 0, unknown: 0, cluster: 0, largest: 0, unsorted: 0 };
  const texts = new Set<string>();
  let [pages, left] = [0, budget.characters];
  // The newest first: viewers show it.
  for (let version = objects.versions - 1; version >= 0 && left > 0; version--) {
    objects.selectVersion(version);
    await findAttachments(objects, attached, slicer);
    const found = findPages(objects);
    const text = await readVersionText({ objects, slicer, glyphs, maxCharacters: left }, found);
    if (!texts.has(text)) left -= text.length;
    texts.add(text);
    pages += found.length;
  }
  if (pages === 0) throw documentProblem("The PDF is damaged: it has no pages.");
  if (glyphs.unknown > glyphs.known / KNOWN_FOR_UNKNOWN) {
    throw documentProblem("The PDF's fonts do not define which letters they show.");
  }
  if (glyphs.known === 0) {
    throw documentProblem("The PDF shows no text: it is damaged, empty or contains only pictures.");
  }
  const files = [...attached.files].map((file) => ({ decode: () => objects.bytes(file) }));
  const { text, unread } = await readParts(files, budget, readPart);
  if (attached.has_pictures) unread.unshift(PICTURES);
  if (glyphs.largest >= MIN_CLUSTER) unread.push(UNKNOWN_LETTERS);
  if (glyphs.unsorted > 0) unread.push(SCATTERED_LETTERS);
  return { text: [...texts].join("\n") + text, unread, outside: objects.outside() };
}

type Shared = Pick<PageReading, "objects" | "slicer" | "glyphs" | "maxCharacters">;

async function readVersionText(shared: Shared, pages: readonly Page[]): Promise<string> {
  const { objects, slicer, maxCharacters } = shared;
  const pieces = readTexts(objects, objects.info(), INFO_KEYS);
  const reading: PageReading = {
    ...shared,
    fonts: new Map(),
    pieces,
    characters: 0,
    marked: new Set(),
    seen: new Set(),
    drawn: new Set(),
  };
  for (const { page, resources } of pages) {
    await readPageText(reading, await readPageContent(objects, page, slicer), resources);
    for (const drawn of iterateAppearances(objects, page)) {
      if (slicer.isDue()) await slicer.yield();
      if (!isStream(drawn)) continue;
      await readStreamText(reading, drawn, objects.dict(drawn.dict.get("Resources")));
    }
    for (const text of iterateAnnotationTexts(objects, page)) {
      pieces.push(text);
      shared.glyphs.known += text.trim().length;
      reading.characters += text.length;
      if (reading.characters >= maxCharacters) return pieces.join("");
    }
  }
  for (const { drawing, resources } of iterateOtherDrawings(objects)) {
    if (slicer.isDue()) await slicer.yield();
    const stream = objects.resolve(drawing);
    if (!isStream(stream) || reading.drawn.has(stream)) continue;
    await readStreamText(reading, stream, resources);
    pieces.push("\n");
    if (reading.characters >= maxCharacters) break;
  }
  const known = new Set(pieces.map((piece) => piece.trim()));
  await readLooseTexts(reading);
  const others = [...reading.marked].filter((text) => !known.has(text.trim()));
  return [pieces.join(""), ...others].join("\n");
}

async function readStreamText(reading: PageReading, stream: PdfStream, resources: PdfDict) {
  reading.drawn.add(stream);
  await readPageText(reading, await reading.objects.bytes(stream), resources);
}

/** Yields drawings that no page names as such: patterns, masks, and glyphs that contain text of another font. */
function* iterateOtherDrawings(
  objects: PdfObjects,
): Generator<{ drawing: PdfObject; resources: PdfDict }> {
  for (const object of iterateDicts(objects)) {
    const dict = objects.dict(object);
    const resources = objects.dict(dict.get("Resources"));
    if (!resources.has("Font")) continue;
    const subtype = dict.get("Subtype");
    const isForm = isName(subtype) && subtype.name === "Form";
    if (isForm || dict.has("PatternType")) yield { drawing: object, resources };
    for (const drawing of objects.dict(dict.get("CharProcs")).values()) {
      yield { drawing, resources };
    }
  }
}

interface Page {
  page: PdfDict;
  /** Its own, or those of the nearest ancestor. */
  resources: PdfDict;
}

function findPages(objects: PdfObjects): Page[] {
  const found: Page[] = [];
  const visited = new Set<number>();
  let nodes = 0;
  for (const object of objects.all.values()) {
    if (!isOfType(object, "Catalog")) continue;
    const tree = object.get("Pages");
    if (!isRef(tree) || !visited.has(tree.ref)) walk(tree, new Map(), 0);
  }
  // A reader that repairs the file also finds pages outside of the tree.
  for (const [number, object] of objects.all) {
    if (!isOfType(object, "Page") || visited.has(number)) continue;
    add(object, ownResources(objects.dict(object.get("Parent")), new Map()));
  }
  return found;

  function walk(node: PdfValue | undefined, inherited: PdfDict, depth: number) {
    if (isRef(node)) {
      if (visited.has(node.ref)) throw documentProblem("The PDF's page tree leads back to itself.");
      visited.add(node.ref);
    }
    if (++nodes > MAX_TREE_NODES) throw documentProblem("The PDF's page tree is too large.");
    if (depth > MAX_TREE_DEPTH) throw documentProblem("The PDF's page tree is too deep.");
    const branch = objects.dict(node);
    const kids = objects.resolve(branch.get("Kids"));
    const resources = ownResources(branch, inherited);
    if (!Array.isArray(kids)) return branch.size > 0 && add(branch, resources);
    for (const kid of kids) walk(kid, resources, depth + 1);
  }

  function add(page: PdfDict, inherited: PdfDict) {
    found.push({ page, resources: ownResources(page, inherited) });
    if (found.length > MAX_PAGES) {
      throw documentProblem(`The PDF has more than ${MAX_PAGES} pages.`);
    }
  }

  function ownResources(of: PdfDict, inherited: PdfDict): PdfDict {
    const own = objects.resolve(of.get("Resources"));
    return own instanceof Map ? own : inherited;
  }
}

function isOfType(object: PdfObject, type: string): object is PdfDict {
  const found = object instanceof Map ? object.get("Type") : undefined;
  return isName(found) && found.name === type;
}

/** Joins the streams of a page, which may be divided between any two operators. */
async function readPageContent(
  objects: PdfObjects,
  page: PdfDict,
  slicer: TimeSlicer,
): Promise<Uint8Array> {
  const contents = objects.resolve(page.get("Contents"));
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const part of Array.isArray(contents) ? contents : [contents]) {
    if (slicer.isDue()) await slicer.yield();
    const stream = objects.resolve(part);
    if (!isStream(stream)) continue;
    const bytes = await objects.bytes(stream);
    parts.push(bytes, NEW_LINE);
    // A page may repeat a stream.
    size += bytes.length + 1;
    if (size > MAX_INFLATED_STREAM) throw bombError();
  }
  return parts.length === 2 && parts[0] ? parts[0] : Buffer.concat(parts);
}

const NEW_LINE = Uint8Array.of(0x0a);
const INFO_KEYS = ["Title", "Subject", "Keywords", "Author"];
/** Of a note: what it says. Of a form's field: its value and what is shown on hovering. */
const ANNOTATION_KEYS = ["Contents", "V", "TU"];
const MAX_ANNOTATIONS = 1000;

/** Yields the end of the page's line, then one text at a time: annotations may share a long one. */
function* iterateAnnotationTexts(objects: PdfObjects, page: PdfDict): Generator<string> {
  yield "\n";
  for (const note of listAnnotations(objects, page)) {
    for (const key of ANNOTATION_KEYS) yield* readTexts(objects, note, [key]);
  }
}

/** Yields the drawings of annotations and fields, which may differ from their text. A field has one for each state. */
function* iterateAppearances(objects: PdfObjects, page: PdfDict): Generator<PdfObject> {
  for (const note of listAnnotations(objects, page)) {
    const drawn = objects.resolve(objects.dict(note.get("AP")).get("N"));
    for (const state of drawn instanceof Map ? drawn.values() : [drawn]) {
      yield objects.resolve(state);
    }
  }
}

function listAnnotations(objects: PdfObjects, page: PdfDict): PdfDict[] {
  const notes = objects.resolve(page.get("Annots"));
  if (!Array.isArray(notes)) return [];
  return notes.slice(0, MAX_ANNOTATIONS).map((note) => objects.dict(note));
}

function readTexts(objects: PdfObjects, dict: PdfDict, keys: string[]): string[] {
  return keys
    .map((key) => objects.resolve(dict.get(key)))
    .filter((value) => typeof value === "string")
    .map((value) => `${decodeTextString(value)}\n`);
}
