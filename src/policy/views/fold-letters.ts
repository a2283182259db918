/** A text as a person reads it, in plain letters: what is invisible is gone, what looks Latin is Latin. */
import { isAscii } from "../../lib/text/fold-name.ts";
import { isInvisible } from "./is-invisible.ts";
import { CONTEXTUAL_LOOKALIKES, UNCONDITIONAL_LOOKALIKES } from "./lookalikes.ts";
import { createSourceMapBuilder, type SourceMap, type SourceMapBuilder } from "./source-map.ts";

const NOT_ASCII = /[^\0-\x7f]/g;

/**
 * NFKC, invisible characters removed, look-alikes replaced. Upper case stays, and never gets longer when it is
 * lowered: the one letter that would, U+0130, is replaced. undefined: the text is ASCII and reads as it is.
 */
export function foldLetters(text: string): SourceMap | undefined {
  if (isAscii(text)) return undefined;
  const out = createSourceMapBuilder();
  const seen: FoldState = {
    foreignText: hasForeignLetter(text),
    latin: new Map(),
    foreign: new Map(),
  };
  let done = 0;
  NOT_ASCII.lastIndex = 0;
  for (let odd = NOT_ASCII.exec(text); odd !== null; odd = NOT_ASCII.exec(text)) {
    let start = odd.index;
    while (start > done && isWordCharacter(text.charCodeAt(start - 1))) start--;
    let end = odd.index;
    while (end < text.length && isWordCharacter(text.charCodeAt(end))) end++;

    out.append(text.slice(done, start), done, start);
    appendWord(out, text, { start, end, seen });
    done = end;
    NOT_ASCII.lastIndex = end;
  }
  out.append(text.slice(done), done, text.length);
  return out.build();
}

/** What is known of the whole text; normalizing is slow, and texts repeat their clusters. */
interface FoldState {
  foreignText: boolean;
  latin: Map<string, string>;
  foreign: Map<string, string>;
}
type Word = { start: number; end: number; seen: FoldState };

function appendWord(out: SourceMapBuilder, text: string, word: Word): void {
  const latin = readsAsLatin(text, word);
  const known = latin ? word.seen.latin : word.seen.foreign;
  let at = word.start;
  while (at < word.end) {
    let settled = at;
    while (settled < word.end && isUnchangedByNfkc(text.charCodeAt(settled))) settled++;
    if (isMark(text.charCodeAt(settled))) settled--;
    if (settled > at) {
      const stretch = text.slice(at, settled);
      out.append(latin ? stretch.replace(/[^\0-\x7f]/g, toLatinLetter) : stretch, at, settled);
      at = settled;
      continue;
    }
    const point = text.codePointAt(at) ?? 0;
    let end = at + (point > 0xffff ? 2 : 1);
    if (!isInvisible(point)) {
      // Marks beyond the second are decoration (Zalgo): they change the look and not the letter.
      let cluster = text.slice(at, end);
      for (let marks = 0; isMark(text.charCodeAt(end)); end++, marks++) {
        if (marks < 2) cluster += text.charAt(end);
      }
      const plain = known.get(cluster) ?? foldCluster(cluster, latin);
      known.set(cluster, plain);
      // Each letter stands for the whole: half of a character that reads as two is never masked alone.
      for (const letter of plain) out.append(letter, at, end);
    }
    at = end;
  }
}

const MAX_LIGATURE_LETTERS = 4;

const toLatinLetter = (letter: string) => CONTEXTUAL_LOOKALIKES.get(letter.charCodeAt(0)) ?? letter;

function foldCluster(cluster: string, latin: boolean): string {
  let plain = "";
  const composed = cluster.normalize("NFKC");
  // One ligature of Arabic is 18 letters long: no such thing may multiply a text.
  for (const letter of composed.length > MAX_LIGATURE_LETTERS ? cluster : composed) {
    const point = letter.codePointAt(0) ?? 0;
    if (isMark(point) || isInvisible(point)) continue;
    plain +=
      UNCONDITIONAL_LOOKALIKES.get(point) ??
      (latin ? CONTEXTUAL_LOOKALIKES.get(point) : undefined) ??
      letter;
  }
  return plain;
}

/** With a letter of ASCII in it, or all look-alikes in a text where nothing says that the script is in use. */
function readsAsLatin(text: string, { start, end, seen }: Word): boolean {
  let lookalikes = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (isAsciiLetter(unit)) return true;
    if (CONTEXTUAL_LOOKALIKES.has(unit)) lookalikes++;
  }
  return lookalikes > 0 && !seen.foreignText;
}

/** Whether a letter is there that only a text of that script has a use for. */
const hasForeignLetter = (text: string) =>
  /[бгджзийлптфцчшщъыьэюяБГДЖЗИЙЛПФЦЧШЩЫЭЮЯβδζθλμξπσςφψωΓΔΘΛΞΠΣΦΨΩ]/.test(text);

const isAsciiLetter = (unit: number) => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;

/** Whatever is beyond ASCII may be part of a word: what is invisible there must not end it. */
const isWordCharacter = (unit: number) =>
  unit >= 0x80 || isAsciiLetter(unit) || (unit >= 0x30 && unit <= 0x39);

const isMark = (unit: number) => unit >= 0x300 && unit <= 0x36f;

/** Letters of the common scripts that NFKC leaves alone, so that most text need not be asked about. */
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
