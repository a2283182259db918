/** Finds names of persons, places and organizations in the text of a segment and in what is encoded in it. */
import { readFieldName } from "../dlp/read-field-name.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { findOpenInViews, readViews } from "../views/find-open-in-views.ts";
import type { View } from "../views/view.ts";
import type { NameSpan } from "./join-names.ts";
import type { NameModel } from "./name-model.ts";

export interface NameFinder {
  /** Returns names with offsets in the segment's text. Memoized per segment. */
  find: (segment: Segment) => readonly NameSpan[];
  /** Returns the first offset, at least `from`, at which more text may add or change a name, or the length of the text. */
  findOpenStart: (segment: Segment, from: number) => number;
}

/** Views that repeat text of the segment itself, of which they may cut words. */
const REPEATING_ENCODINGS: ReadonlySet<View["encoding"]> = new Set([
  "percent",
  "html",
  "unicode_escape",
  "spaced_letters",
  "hidden_gaps",
]);

export function createNameFinder(model: NameModel): NameFinder {
  function findInSegment(_: string, segment: Segment): NameSpan[] {
    if (segment.isName || segment.isNumber) return [];
    const field = readFieldName(segment);
    // The field name is context: `{"city": "Nice"}`.
    const label = field === "" ? "" : `${field}: `;
    return readViews(segment).flatMap(({ exact, text, encoding, toOriginal }) =>
      REPEATING_ENCODINGS.has(encoding)
        ? []
        : model
            .findNames(label + exact, label.toLowerCase() + text)
            .filter(({ start }) => start >= label.length)
            .map((name) => ({
              ...name,
              ...toOriginal(name.start - label.length, name.end - label.length),
            })),
    );
  }

  return {
    find: (segment) => computeOnce(segment, findInSegment),
    findOpenStart: (segment, from) =>
      findOpenInViews(segment, from, ({ exact, text, encoding }, at) =>
        REPEATING_ENCODINGS.has(encoding) ? exact.length : model.findOpenStart(exact, text, at),
      ),
  };
}
