/** Scans text in all of its readings for parts of a system prompt and for canaries. */
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import type { Segment } from "../segment.ts";
import { findOpenWord } from "../stream/find-open-word.ts";
import { readViews } from "../views/find-open-in-views.ts";
import type { TextSpan } from "../views/source-map.ts";
import { foldText, type View } from "../views/view.ts";
import { findCopies } from "./find-copies.ts";
import { type GramSet, listForms } from "./gram-set.ts";
import { type Letters, readLetters } from "./read-letters.ts";

export interface Leak extends TextSpan {
  /** Index of the canary; undefined for a part of the prompt. */
  canary?: number;
  /** Number of repeated letters. */
  repeated: number;
}

export interface LeakScan {
  /** Spans are offsets of the text as it was sent. */
  leaks: readonly Leak[];
  /** First offset at which more text may complete or change a leak. */
  open: number;
}

/** Finds canaries in letters, and the index of the first letter that may begin one. */
type FindCanaries = (letters: Letters) => {
  canaries: { index: number; first: number; last: number }[];
  open: number;
};

/** The result is for `computeOnce`. `isRepeated` gets the hash of a sequence of letters. */
export const createLeakScan =
  (isRepeated: GramSet["has"] | undefined, findCanaries: FindCanaries) =>
  (text: string, segment: Segment): LeakScan => {
    const leaks: Leak[] = [];
    let open = text.length;
    for (const view of readViews(segment)) {
      const letters = readLetters(view.text, findBoundaries(view, text));
      const { units, offsets } = letters;
      const toSpan = ({ first, last }: { first: number; last: number }) =>
        view.toOriginal(offsets[first] ?? 0, (offsets[last] ?? 0) + 1);
      const found = findCanaries(letters);
      for (const canary of found.canaries) {
        leaks.push({
          ...toSpan(canary),
          canary: canary.index,
          repeated: canary.last - canary.first + 1,
        });
      }
      const { copies, open: openCopy } = isRepeated
        ? findCopies(units, isRepeated)
        : { copies: [], open: units.length };
      for (const copy of copies) leaks.push({ ...toSpan(copy), repeated: copy.repeated });
      const openOffset = offsets[Math.min(openCopy, found.open)] ?? view.text.length;
      if (openOffset < view.text.length) {
        open = Math.min(open, view.toOriginal(openOffset, view.text.length).start);
      }
    }
    return { leaks, open };
  };

/**
 * Returns the ends of the encoded parts of a view that are complete. Parts that are apart in the text are not compared
 * together, so that a part does not stay open until the end of a stream.
 */
function findBoundaries({ text, encoding, toOriginal }: View, original: string): number[] {
  if (encoding === "plain" || encoding === "folded") return [];
  const boundaries: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    const { end } = toOriginal(at, at + 1);
    const next = at + 1 < text.length ? toOriginal(at + 1, at + 2).start : findOpenWord(original);
    if (next > end) boundaries.push(at + 1);
  }
  return boundaries;
}

const toLetterString = ({ buffer, byteOffset, byteLength }: Uint16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");

export const readLetterString = (text: string): Uint16Array =>
  readLetters(foldText(text).text).units;

export function createCanaryFinder(canaries: readonly string[]): FindCanaries {
  if (canaries.length === 0) return ({ units }) => ({ canaries: [], open: units.length });
  /** Index of the canary, by each of its forms. */
  const indexes = new Map<string, number>();
  for (const [index, canary] of canaries.entries()) {
    for (const form of listForms(readLetterString(canary)))
      indexes.set(toLetterString(form), index);
  }
  const forms = [...indexes];
  const find = createKeywordFinder([...indexes.keys()]);
  return ({ units }) => {
    const found: ReturnType<FindCanaries>["canaries"] = [];
    const unfinished = find(toLetterString(units), (number, end) => {
      const [form = "", index = 0] = forms[number] ?? [];
      found.push({ index, first: end - form.length, last: end - 1 });
    });
    return { canaries: found, open: units.length - unfinished };
  };
}
