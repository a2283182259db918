/** Collects the strings of a PDF outside of its pages: values of forms, outlines, alternative texts, links. */
import type { TimeSlicer } from "../time-slicer.ts";
import { isStream, type PdfObject, type PdfObjects } from "./read-objects.ts";
import type { PdfDict } from "./value-reader.ts";

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

export async function readLooseTexts(
  objects: PdfObjects,
  slicer: TimeSlicer,
  found: Set<string>,
): Promise<void> {
  for (const object of iterateDicts(objects)) {
    if (slicer.isDue()) await slicer.yield();
    const dict = objects.dict(object);
    // The `Contents` of a signature are bytes.
    if (!dict.has("ByteRange")) await readMarkedTexts(dict, { objects, slicer }, found);
  }
}

/** Adds the texts under the names that viewers show, search or read aloud. Dictionaries may share a long list of long texts. */
export async function readMarkedTexts(
  dict: PdfDict,
  { objects, slicer }: { objects: PdfObjects; slicer: TimeSlicer },
  found: Set<string>,
): Promise<void> {
  for (const key of KEYS) {
    const value = dict.has(key) ? objects.resolve(dict.get(key)) : null;
    for (const each of Array.isArray(value) ? value : [value]) {
      const text = objects.resolve(each);
      if (typeof text === "string") found.add(decodeTextString(text));
      if (slicer.isDue(typeof text === "string" ? text.length / 32 : 1)) await slicer.yield();
    }
  }
}

const KEYS = ["V", "DV", "RV", "TU", "Contents", "RC", "Title", "ActualText", "Alt", "URI"];

/** Decodes a string outside of pages: UTF-16 or UTF-8 with a byte order mark, else close to Latin-1. */
export function decodeTextString(text: string): string {
  const bytes = Buffer.from(text, "latin1");
  if (text.startsWith("\xfe\xff")) return new TextDecoder("utf-16be").decode(bytes);
  return text.startsWith("\xef\xbb\xbf") ? new TextDecoder().decode(bytes) : text;
}
