/** Finds the contents of a PDF outside of its pages: attached files, XFA forms and pictures. */
import type { UnreadPart } from "../read-document-text.ts";
import type { TimeSlicer } from "../time-slicer.ts";
import { iterateDicts } from "./read-loose-texts.ts";
import { isStream, type PdfObjects, type PdfStream } from "./read-objects.ts";
import { isName } from "./value-reader.ts";

export interface PdfAttachments {
  files: Set<PdfStream>;
  has_pictures: boolean;
}

/** Adds those of the selected version of `objects`. */
export async function findAttachments(
  objects: PdfObjects,
  found: PdfAttachments,
  slicer: TimeSlicer,
): Promise<void> {
  for (const object of iterateDicts(objects)) {
    const dict = objects.dict(object);
    const [type, subtype] = [dict.get("Type"), dict.get("Subtype")];
    if (isName(subtype) && subtype.name === "Image") found.has_pictures = true;
    // `EF` contains the streams of a file, under a name for each platform; `XFA` is one stream or a list.
    const forms = objects.resolve(dict.get("XFA"));
    const streams = [
      ...objects.dict(dict.get("EF")).values(),
      ...TEXT_STREAMS.map((name) => dict.get(name)),
      ...(Array.isArray(forms) ? forms : [forms]),
      ...(isName(type) && type.name === "EmbeddedFile" ? [object] : []),
    ].map((value) => objects.resolve(value));
    for (const stream of streams) if (isStream(stream)) found.files.add(stream);
    // Dictionaries may share a long list.
    if (slicer.isDue(streams.length)) await slicer.yield();
  }
}

/** Values of fields, notes and scripts, which are strings or streams. */
const TEXT_STREAMS = ["V", "DV", "RV", "RC", "JS"];

export const PICTURES: UnreadPart = {
  problem: "media",
  reason: "The PDF contains pictures, of which no text is read.",
};
