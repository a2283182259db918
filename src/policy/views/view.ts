/** Views: the folded and decoded readings of text, each of which maps its offsets to the original. */
import { computeOnce, type Segment } from "../segment.ts";
import { decodeBase64AndHex } from "./decode-base64-and-hex.ts";
import { decodeEscapes } from "./decode-escapes.ts";
import { decodeHiddenRuns } from "./decode-hidden-runs.ts";
import { decodeStringEscapes } from "./decode-string-escapes.ts";
import type { Decoding, HiddenEncoding } from "./decoding.ts";
import { dropMedia } from "./drop-media.ts";
import { foldLetters } from "./fold-letters.ts";
import { joinSpacedLetters } from "./join-spaced-letters.ts";
import { readHiddenGaps } from "./read-hidden-gaps.ts";
import type { TextSpan } from "./source-map.ts";

export interface View {
  /** Folded to plain letters, in lower case. */
  text: string;
  /** Same characters at the same offsets, in their original case. */
  exact: string;
  encoding: "plain" | "folded" | "leet" | HiddenEncoding;
  /** Maps UTF-16 offsets of `text` to the original. */
  toOriginal: (start: number, end: number) => TextSpan;
}

/**
 * Folds text to what a person reads: decodes string escapes, applies NFKC, removes invisible characters, replaces
 * look-alikes of Latin letters and lowers the case. Use it with `computeOnce(segment, foldText)`.
 */
export function foldText(text: string, segment?: Segment): View {
  const plain = readPlain(text, segment);
  const unescaped = decodeStringEscapes(plain.text);
  return unescaped
    ? toView(nestDecoding({ ...unescaped, encoding: "plain" }, plain.toOriginal))
    : foldSegmentLetters(text, segment);
}

/** Returns the text that is read: all except encoded media. */
const readPlain = (text: string, segment?: Segment): UnfoldedView =>
  segment ? computeOnce(segment, readUnencoded) : readUnencoded(text);
const readUnencoded = (text: string): UnfoldedView => ({
  ...(dropMedia(text) ?? { text, toOriginal: identity }),
  encoding: "plain",
});

/** Folds text without decoding string escapes. */
const foldLettersOnly = (text: string, segment?: Segment): View => toView(readPlain(text, segment));
const foldSegmentLetters = (text: string, segment?: Segment): View =>
  segment ? computeOnce(segment, foldLettersOnly) : foldLettersOnly(text);

/**
 * Returns the folded text, then what is encoded in it, at most two levels deep, each text once: escapes and spaced letters
 * decode to the same text in either order. Each decoding shrinks its input and reads it once, so that the total size is a
 * small multiple of the text. Use it with `computeOnce(segment, decodeViews)`.
 */
export function decodeViews(text: string, segment?: Segment): readonly View[] {
  const views: View[] = [];
  const seen: string[] = [];
  let layer: UnfoldedView[] = [readPlain(text, segment)];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const below: UnfoldedView[] = [];
    for (const unread of layer) {
      if (seen.includes(unread.text)) continue;
      seen.push(unread.text);
      const view = depth === 0 ? foldSegmentLetters(text, segment) : toView(unread);
      views.push(view);
      if (depth === MAX_DEPTH) continue;
      // From the unfolded text: folding removes invisible characters.
      for (const decoding of [...decodeHiddenRuns(unread.text), ...readHiddenGaps(unread.text)])
        below.push(nestDecoding(decoding, unread.toOriginal));
      for (const decoding of decodeVisibleRuns(view.exact))
        below.push(nestDecoding(decoding, view.toOriginal));
    }
    layer = below;
  }
  return views;
}

/** Removes all results from a segment except its views. */
export function keepViews(segment: Segment): void {
  const views = [decodeViews, foldText, foldLettersOnly, readUnencoded] as const;
  const kept = views.filter((view) => segment.memo?.has(view));
  segment.memo = new Map(kept.map((view) => [view, segment.memo?.get(view)]));
}

/** Decodes string escapes in a view, as `foldText` does. */
export function unescapeView(view: View): View {
  const unescaped = decodeStringEscapes(view.exact);
  if (unescaped === undefined) return view;
  return toView({
    text: unescaped.text,
    encoding: view.encoding,
    toOriginal: composeLookups(unescaped.toOriginal, view.toOriginal),
  });
}

const MAX_DEPTH = 2;

function decodeVisibleRuns(text: string): readonly Decoding[] {
  const escapes = decodeEscapes(text);
  const joined = joinSpacedLetters(text);
  const runs = decodeBase64AndHex(text);
  if (escapes === undefined && joined === undefined) return runs;
  return [...runs, ...(escapes ? [escapes] : []), ...(joined ? [joined] : [])];
}

type UnfoldedView = Omit<View, "exact">;
type OriginalSpanLookup = View["toOriginal"];

const identity: OriginalSpanLookup = (start, end) => ({ start, end });

const composeLookups =
  (inner: OriginalSpanLookup, outer: OriginalSpanLookup): OriginalSpanLookup =>
  (start, end) => {
    const between = inner(start, end);
    return outer(between.start, between.end);
  };

const nestDecoding = (decoding: UnfoldedView, outer: OriginalSpanLookup): UnfoldedView => ({
  ...decoding,
  toOriginal: composeLookups(decoding.toOriginal, outer),
});

function toView({ text, encoding, toOriginal }: UnfoldedView): View {
  const letters = foldLetters(text);
  if (letters === undefined) return { text: text.toLowerCase(), exact: text, encoding, toOriginal };
  return {
    text: letters.text.toLowerCase(),
    exact: letters.text,
    encoding: encoding === "plain" ? "folded" : encoding,
    toOriginal: composeLookups(letters.toOriginal, toOriginal),
  };
}
