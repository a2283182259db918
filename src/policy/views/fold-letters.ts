/** Folds text to plain letters, as a person reads it. */
import { isAscii } from "../../lib/text/fold-name.ts";
import { isInvisible } from "./is-invisible.ts";
import { CONTEXTUAL_LOOKALIKES, UNCONDITIONAL_LOOKALIKES, WEAK_LOOKALIKES } from "./lookalikes.ts";
import { createSourceMapBuilder, type SourceMap, type SourceMapBuilder } from "./source-map.ts";

const NOT_ASCII = /[^\0-\x7f]/g;

/**
 * Applies NFKC, removes invisible characters and replaces look-alikes. Keeps the case, and replaces U+0130, the only
 * letter that gets longer in lower case. Returns undefined if the text is ASCII.
 */
export function foldLetters(text: string): SourceMap | undefined {
  if (isAscii(text)) return undefined;
  const out = createSourceMapBuilder();
  const state: FoldState = {
    foreignText: hasForeignLetter(text),
    clusters: { mixed: new Map(), lookalike: new Map(), foreign: new Map() },
  };
  let done = 0;
  NOT_ASCII.lastIndex = 0;
  for (let odd = NOT_ASCII.exec(text); odd !== null; odd = NOT_ASCII.exec(text)) {
    let start = odd.index;
    while (start > done && isWordCharacter(text.charCodeAt(start - 1))) start--;
    let end = odd.index;
    while (end < text.length && isWordCharacter(text.charCodeAt(end))) end++;

    out.append(text.slice(done, start), done, start);
    appendWord(out, text, { start, end, state });
    done = end;
    NOT_ASCII.lastIndex = end;
  }
  out.append(text.slice(done), done, text.length);
  return out.build();
}

/** State of one text: whether it uses a foreign script, and folded clusters, since normalizing is slow. */
interface FoldState {
  foreignText: boolean;
  clusters: Record<WordReading, Map<string, string>>;
}
/** A word of several scripts, or of look-alikes only, reads as Latin. */
type WordReading = "mixed" | "lookalike" | "foreign";
type Word = { start: number; end: number; state: FoldState };

function appendWord(out: SourceMapBuilder, text: string, word: Word): void {
  const reading = classifyWord(text, word);
  const known = word.state.clusters[reading];
  const toLatinLetter = (letter: string) => foldLetter(letter.charCodeAt(0), reading) ?? letter;
  let at = word.start;
  while (at < word.end) {
    let settled = at;
    while (settled < word.end && isUnchangedByNfkc(text.charCodeAt(settled))) settled++;
    if (isMark(text.charCodeAt(settled))) settled--;
    if (settled > at) {
      const stretch = text.slice(at, settled);
      out.append(
        reading === "foreign" ? stretch : stretch.replace(/[^\0-\x7f]/g, toLatinLetter),
        at,
        settled,
      );
      at = settled;
      continue;
    }
    const point = text.codePointAt(at) ?? 0;
    let end = at + (point > 0xffff ? 2 : 1);
    if (!isInvisible(point)) {
      // Ignores marks beyond the second: they are decoration (Zalgo).
      let cluster = text.slice(at, end);
      for (let marks = 0; isMark(text.charCodeAt(end)); end++, marks++) {
        if (marks < 2) cluster += text.charAt(end);
      }
      const plain = known.get(cluster) ?? foldCluster(cluster, reading);
      known.set(cluster, plain);
      // Maps each letter to the whole cluster, so that a mask never splits a character.
      for (const letter of plain) out.append(letter, at, end);
    }
    at = end;
  }
}

const MAX_LIGATURE_LETTERS = 4;

function foldLetter(point: number, reading: WordReading): string | undefined {
  if (reading === "foreign") return undefined;
  const letter = CONTEXTUAL_LOOKALIKES.get(point);
  return letter ?? (reading === "mixed" ? WEAK_LOOKALIKES.get(point) : undefined);
}

function foldCluster(cluster: string, reading: WordReading): string {
  let plain = "";
  // NFKC turns ϲ, which looks like c, into ς.
  const composed = UNCONDITIONAL_LOOKALIKES.get(cluster.charCodeAt(0)) ?? cluster.normalize("NFKC");
  // Bounds the growth of the text: one Arabic ligature expands to 18 letters.
  for (const letter of composed.length > MAX_LIGATURE_LETTERS ? cluster : composed) {
    const point = letter.codePointAt(0) ?? 0;
    if (isMark(point) || isInvisible(point)) continue;
    plain += UNCONDITIONAL_LOOKALIKES.get(point) ?? foldLetter(point, reading) ?? letter;
  }
  return plain;
}

/** A word of look-alikes reads as Latin in text that does not use a foreign script. */
function classifyWord(text: string, { start, end, state }: Word): WordReading {
  let lookalikes = 0;
  let script = "";
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    const next = scriptOf(unit);
    if (script !== "" && next !== "" && next !== script) return "mixed";
    script ||= next;
    if (CONTEXTUAL_LOOKALIKES.has(unit)) lookalikes++;
  }
  return lookalikes > 0 && !state.foreignText ? "lookalike" : "foreign";
}

/** Returns the script of a letter that has look-alikes in another one, or an empty string. */
function scriptOf(unit: number): string {
  if (unit < 0x370) return unit >= 0xc0 || isAsciiLetter(unit) ? "latin" : "";
  if (unit < 0x400) return "greek";
  if (unit < 0x530) return "cyrillic";
  if (unit < 0x590) return "armenian";
  return unit >= 0x13a0 && unit < 0x1400 ? "cherokee" : "";
}

/** Checks for a Cyrillic or Greek letter that resembles no Latin letter. */
export const hasForeignLetter = (text: string) =>
  /[бгджзийлптфцчшщъыьэюяБГДЖЗИЙЛПФЦЧШЩЫЭЮЯβδζθλμξπσςφψωΓΔΘΛΞΠΣΦΨΩ]/.test(text);

/**
 * Returns the start of the first word of look-alikes only, or the length of the text. Whether it reads as Latin depends
 * on whether the text contains a foreign letter.
 */
export function findUndecidedWord(text: string): number {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (isAscii(word) || /[a-z]/i.test(word)) continue;
    if (Array.from(word).some((letter) => CONTEXTUAL_LOOKALIKES.has(letter.charCodeAt(0)))) {
      return index;
    }
  }
  return text.length;
}

const WORD = /[0-9A-Za-z\u0080-\uffff]+/g;

const isAsciiLetter = (unit: number) => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;

/** Counts every non-ASCII character as part of a word, so that an invisible one does not split it. */
const isWordCharacter = (unit: number) =>
  unit >= 0x80 || isAsciiLetter(unit) || (unit >= 0x30 && unit <= 0x39);

const isMark = (unit: number) => unit >= 0x300 && unit <= 0x36f;

/** Letters of common scripts that NFKC does not change: the fast path of most text. */
const isUnchangedByNfkc = (unit: number) =>
  unit < 0xe0
    ? unit < 0x80
    : unit < 0x100 ||
      (unit >= 0x400 && unit < 0x530) ||
      (unit >= 0x4e00 && unit < 0xa000) ||
      (unit >= 0xac00 && unit < 0xd7a4) ||
      (unit >= 0x3041 && unit < 0x3097) ||
      (unit >= 0x30a1 && unit < 0x30fb) ||
      (unit >= 0x3b1 && unit < 0x3ca) ||
      (unit >= 0x5d0 && unit < 0x5eb) ||
      (unit >= 0x620 && unit < 0x64b);
