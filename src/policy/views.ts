/** Other ways to read a text, each with a way back: what a match means where the text itself says it. */
import { once, type Segment } from "./segment.ts";
import type { Decoding, Encoding } from "./views/decoding.ts";
import { unescaped } from "./views/escapes.ts";
import { hiddenRuns } from "./views/hidden-runs.ts";
import { plainLetters } from "./views/plain-letters.ts";
import type { Span } from "./views/source-map.ts";
import { stringEscapes } from "./views/string-escapes.ts";
import { wordRuns } from "./views/word-runs.ts";

export interface View {
  /** Plain letters, lower case. */
  text: string;
  /** The same characters at the same places, in the case they were written in. */
  exact: string;
  how: "plain" | "folded" | "leet" | Encoding;
  /** UTF-16 offsets of `text` to those of the original. */
  span: (start: number, end: number) => Span;
}

/**
 * As a person reads it: escapes of strings read, NFKC, invisible characters gone, look-alikes of Latin
 * letters replaced, lower case. Made for `once(segment, folded)`.
 */
export function folded(text: string, of?: Segment): View {
  const said = stringEscapes(text);
  return said ? read({ ...said, how: "plain" }) : plainOf(text, of);
}

/** With escapes left as they are. */
const plain = (text: string): View => read({ text, how: "plain", span: identity });
const plainOf = (text: string, of?: Segment): View => (of ? once(of, plain) : plain(text));

/**
 * The folded text first, then what is encoded in it, at most two deep. Every step shrinks and reads its text
 * once, so that all views together stay within a small multiple of the text. Made for `once(segment, decoded)`.
 */
export function decoded(text: string, of?: Segment): readonly View[] {
  const views: View[] = [];
  let layer: Written[] = [{ text, how: "plain", span: identity }];
  for (let depth = 0; depth <= DEEPEST; depth++) {
    const below: Written[] = [];
    for (const written of layer) {
      const view = depth === 0 ? plainOf(text, of) : read(written);
      views.push(view);
      if (depth === DEEPEST) continue;
      // What is hidden in invisible characters is gone from the view.
      for (const coded of hiddenRuns(written.text)) below.push(inside(coded, written.span));
      for (const coded of visibleRuns(view.exact)) below.push(inside(coded, view.span));
    }
    layer = below;
  }
  return views;
}

/** With the escapes of strings read, as `folded` reads them. */
export function unquoted(view: View): View {
  const said = stringEscapes(view.exact);
  if (said === undefined) return view;
  return read({ text: said.text, how: view.how, span: through(said.span, view.span) });
}

/** Digits and signs that stand for letters inside words: `1gn0r3` reads `ignore`. Offsets stay. */
export function unleet(of: View): View {
  let text = "";
  let written = 0;
  let done = 0;
  for (let sign = nextSign(of.text, 0); sign >= 0; sign = nextSign(of.text, done)) {
    let start = sign;
    while (start > done && isLeet(of.text.charCodeAt(start - 1))) start--;
    let end = sign;
    while (end < of.text.length && isLeet(of.text.charCodeAt(end))) end++;
    done = end;
    const word = of.text.slice(start, end);
    // Most are plain numbers.
    if (!/[a-z]/.test(word)) continue;
    text += of.text.slice(written, start) + letters(word);
    written = end;
  }
  if (written === 0) return of;
  text += of.text.slice(written);
  return text === of.text ? of : { ...of, text, how: "leet" };
}

const DEEPEST = 2;

function visibleRuns(text: string): readonly Decoding[] {
  const escapes = unescaped(text);
  return escapes === undefined ? wordRuns(text) : [...wordRuns(text), escapes];
}

type Written = Omit<View, "exact">;
type ToOriginal = View["span"];

const identity: ToOriginal = (start, end) => ({ start, end });

const through =
  (inner: ToOriginal, outer: ToOriginal): ToOriginal =>
  (start, end) => {
    const between = inner(start, end);
    return outer(between.start, between.end);
  };

const inside = (coded: Written, outer: ToOriginal): Written => ({
  ...coded,
  span: through(coded.span, outer),
});

function read({ text, how, span }: Written): View {
  const letters = plainLetters(text);
  if (letters === undefined) return { text: text.toLowerCase(), exact: text, how, span };
  return {
    text: letters.text.toLowerCase(),
    exact: letters.text,
    how: how === "plain" ? "folded" : how,
    span: through(letters.span, span),
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

function nextSign(text: string, from: number): number {
  LEET_SIGN.lastIndex = from;
  return LEET_SIGN.exec(text)?.index ?? -1;
}

const isLeet = (unit: number) =>
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x40 ||
  unit === 0x24 ||
  unit === 0x21;

/** At the end of a word `!` is punctuation. */
const letters = (word: string) =>
  word.replace(/[013457@$]|!(?=[a-z0-9@$])/g, (sign) => LEET[sign] ?? sign);
