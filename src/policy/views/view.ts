/** Other ways to read a text, each with a way back: what a match means where the text itself says it. */
import { computeOnce, type Segment } from "../segment.ts";
import { decodeBase64AndHex } from "./decode-base64-and-hex.ts";
import { decodeEscapes } from "./decode-escapes.ts";
import { decodeHiddenRuns } from "./decode-hidden-runs.ts";
import { decodeStringEscapes } from "./decode-string-escapes.ts";
import type { Decoding, HiddenEncoding } from "./decoding.ts";
import { foldLetters } from "./fold-letters.ts";
import type { TextSpan } from "./source-map.ts";

export interface View {
  /** Plain letters, lower case. */
  text: string;
  /** The same characters at the same places, in the case they were written in. */
  exact: string;
  encoding: "plain" | "folded" | "leet" | HiddenEncoding;
  /** UTF-16 offsets of `text` to those of the original. */
  toOriginal: (start: number, end: number) => TextSpan;
}

/**
 * As a person reads it: escapes of strings read, NFKC, invisible characters gone, look-alikes of Latin
 * letters replaced, lower case. Made for `once(segment, folded)`.
 */
export function foldText(text: string, of?: Segment): View {
  const said = decodeStringEscapes(text);
  return said ? toView({ ...said, encoding: "plain" }) : foldSegmentLetters(text, of);
}

/** With escapes left as they are. */
const foldLettersOnly = (text: string): View =>
  toView({ text, encoding: "plain", toOriginal: identity });
const foldSegmentLetters = (text: string, of?: Segment): View =>
  of ? computeOnce(of, foldLettersOnly) : foldLettersOnly(text);

/**
 * The folded text first, then what is encoded in it, at most two deep. Every step shrinks and reads its text
 * once, so that all views together stay within a small multiple of the text. Made for `once(segment, decoded)`.
 */
export function decodeViews(text: string, of?: Segment): readonly View[] {
  const views: View[] = [];
  let layer: UnfoldedView[] = [{ text, encoding: "plain", toOriginal: identity }];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const below: UnfoldedView[] = [];
    for (const written of layer) {
      const view = depth === 0 ? foldSegmentLetters(text, of) : toView(written);
      views.push(view);
      if (depth === MAX_DEPTH) continue;
      // What is hidden in invisible characters is gone from the view.
      for (const coded of decodeHiddenRuns(written.text))
        below.push(nestDecoding(coded, written.toOriginal));
      for (const coded of decodeVisibleRuns(view.exact))
        below.push(nestDecoding(coded, view.toOriginal));
    }
    layer = below;
  }
  return views;
}

/** With the escapes of strings read, as `folded` reads them. */
export function unescapeView(view: View): View {
  const said = decodeStringEscapes(view.exact);
  if (said === undefined) return view;
  return toView({
    text: said.text,
    encoding: view.encoding,
    toOriginal: composeLookups(said.toOriginal, view.toOriginal),
  });
}

/** Digits and signs that stand for letters inside words: `1gn0r3` reads `ignore`. Offsets stay. */
export function foldLeetspeak(of: View): View {
  let text = "";
  let written = 0;
  let done = 0;
  for (let sign = findLeetSign(of.text, 0); sign >= 0; sign = findLeetSign(of.text, done)) {
    let start = sign;
    while (start > done && isLeetUnit(of.text.charCodeAt(start - 1))) start--;
    let end = sign;
    while (end < of.text.length && isLeetUnit(of.text.charCodeAt(end))) end++;
    done = end;
    const word = of.text.slice(start, end);
    // Most are plain numbers.
    if (!/[a-z]/.test(word)) continue;
    text += of.text.slice(written, start) + replaceLeetSigns(word);
    written = end;
  }
  if (written === 0) return of;
  text += of.text.slice(written);
  return text === of.text ? of : { ...of, text, encoding: "leet" };
}

const MAX_DEPTH = 2;

function decodeVisibleRuns(text: string): readonly Decoding[] {
  const escapes = decodeEscapes(text);
  return escapes === undefined ? decodeBase64AndHex(text) : [...decodeBase64AndHex(text), escapes];
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

const nestDecoding = (coded: UnfoldedView, outer: OriginalSpanLookup): UnfoldedView => ({
  ...coded,
  toOriginal: composeLookups(coded.toOriginal, outer),
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

const LEET: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};
const LEET_SIGN = /[013457@$!]/g;

function findLeetSign(text: string, from: number): number {
  LEET_SIGN.lastIndex = from;
  return LEET_SIGN.exec(text)?.index ?? -1;
}

const isLeetUnit = (unit: number) =>
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x40 ||
  unit === 0x24 ||
  unit === 0x21;

/** At the end of a word `!` is punctuation. */
const replaceLeetSigns = (word: string) =>
  word.replace(/[013457@$]|!(?=[a-z0-9@$])/g, (sign) => LEET[sign] ?? sign);
