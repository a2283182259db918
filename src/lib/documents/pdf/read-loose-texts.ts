/** Collects the strings of a PDF outside of its pages: values of forms, outlines, alternative texts, links. */
import type { TimeSlicer } from "../time-slicer.ts";
import { isStream, type PdfObject, type PdfObjects } from "./read-objects.ts";
import { isName, type PdfDict, type PdfValue } from "./value-reader.ts";

/** Yields every dictionary and stream of the selected version, also those written inside others. */
export function* iterateDicts({ all }: PdfObjects): Generator<PdfObject> {
  for (const object of all.values()) {
    const waiting: PdfObject[] = [object];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      const inside = isStream(value) ? value.dict : value;
      if (inside instanceof Map) yield value;
      else if (!Array.isArray(inside)) continue;
      for (const each of inside.values()) waiting.push(each);
    }
  }
}

interface LooseReading {
  objects: PdfObjects;
  slicer: TimeSlicer;
  /** Texts that were found. */
  marked: Set<string>;
  /** Lists that were read: dictionaries may share a long list of long texts, and lists may contain each other. */
  seen: Set<PdfObject>;
}

export async function readLooseTexts(reading: LooseReading): Promise<void> {
  const { objects, slicer } = reading;
  for (const object of iterateDicts(objects)) {
    if (slicer.isDue()) await slicer.yield();
    const dict = objects.dict(object);
    // The `Contents` of a signature are bytes.
    if (!dict.has("ByteRange")) await readMarkedTexts(dict, reading);
  }
}

/** Adds the strings of a dictionary and of lists in it, except for those that are bytes, dates or settings. */
export async function readMarkedTexts(
  dict: PdfDict,
  { objects, slicer, marked, seen }: LooseReading,
): Promise<void> {
  for (const [key, value] of dict) {
    if (NO_TEXT.has(key)) continue;
    const waiting: PdfObject[] = [objects.resolve(value)];
    for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
      const text = typeof each === "string" ? each : "";
      if (slicer.isDue(1 + text.length / 32)) await slicer.yield();
      if (text !== "" && !DATE.test(text)) marked.add(decodeTextString(text));
      if (!Array.isArray(each) || seen.has(each) || isPalette(each)) continue;
      seen.add(each);
      for (const item of each) waiting.push(objects.resolve(item));
    }
  }
}

/** The last item of `[/Indexed base count string]` is the bytes of colors. */
const isPalette = ([name]: PdfValue[]): boolean => isName(name) && name.name === "Indexed";

/** Ids, digests, keys and certificates, fonts, the names of destinations and fields, and the programs of a file. */
const NO_TEXT: ReadonlySet<string> = new Set([
  ...["ID", "CheckSum", "O", "U", "OE", "UE", "Perms", "Cert", "Panose", "CharSet", "NM", "Lookup"],
  ...[
    "DA",
    "DS",
    "Registry",
    "Ordering",
    "FontFamily",
    "Names",
    "Limits",
    "Dest",
    "D",
    "IDS",
    "Kids",
  ],
  ...[
    "Producer",
    "Creator",
    "OutputConditionIdentifier",
    "RegistryName",
    "Lang",
    "ColorSpace",
    "CS",
  ],
]);
const DATE = /^D:\d{4}/;

/** Decodes a string outside of pages: UTF-16 or UTF-8 with a byte order mark, else close to Latin-1. */
export function decodeTextString(text: string): string {
  const bytes = Buffer.from(text, "latin1");
  if (text.startsWith("\xfe\xff")) return new TextDecoder("utf-16be").decode(bytes);
  return text.startsWith("\xef\xbb\xbf") ? new TextDecoder().decode(bytes) : text;
}
