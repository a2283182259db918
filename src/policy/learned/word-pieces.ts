/** Splits text into word pieces, as `training/word_pieces.py` does: uncased BERT, with pieces of other languages and scripts. */
import { isAscii } from "../../lib/text/fold-name.ts";

export interface WordPieces {
  /** Ids of the word pieces. */
  ids: Int32Array;
  /** Offsets of their starts and ends in the text. */
  starts: Int32Array;
  ends: Int32Array;
  length: number;
}

export type SplitWordPieces = (text: string) => WordPieces;

const MAX_WORD_CHARACTERS = 100;
const PREFIX_CHARACTERS = 3;
/** Words of ordinary text repeat: their pieces are cached. */
const MAX_CACHED_WORDS = 20_000;

export function createWordPieceSplitter(vocabulary: readonly string[]): SplitWordPieces {
  const idOf = new Map(vocabulary.map((piece, id) => [piece, id]));
  const unknown = idOf.get("[UNK]") ?? 0;
  const inWord = [...idOf].filter(([piece]) => piece.startsWith("##"));
  const inWordIdOf = new Map(inWord.map(([piece, id]) => [piece.slice(2), id]));
  const maxLengthOf = findMaxLengths([...idOf.keys(), ...inWordIdOf.keys()]);
  const cache = new Map<string, readonly number[]>();

  /** Returns pairs: the id of a piece and its length. */
  function splitWord(word: string): readonly number[] {
    const known = cache.get(word);
    if (known) return known;
    // Long words would fill the memory.
    if (word.length > MAX_WORD_CHARACTERS) return splitLongWord(word);
    const pieces: number[] = [];
    matchPieces(word, pieces);
    if (cache.size >= MAX_CACHED_WORDS) cache.clear();
    cache.set(word, pieces);
    return pieces;
  }

  /** Some scripts have no spaces: there, a long word is a sentence. In Latin letters, it is data. */
  function splitLongWord(word: string): number[] {
    if (!NOT_LATIN.test(word)) return [unknown, word.length];
    const pieces: number[] = [];
    for (let start = 0; start < word.length; start += MAX_WORD_CHARACTERS) {
      matchPieces(word.slice(start, start + MAX_WORD_CHARACTERS), pieces);
    }
    return pieces;
  }

  /** Adds the longest pieces, from left to right. Neighboring characters without a piece are one unknown piece. */
  function matchPieces(word: string, pieces: number[]): void {
    let isKnown = true;
    for (let start = 0; start < word.length; ) {
      const ids = start === 0 ? idOf : inWordIdOf;
      const prefix = word.slice(start, start + PREFIX_CHARACTERS);
      const maxLength = maxLengthOf.get(prefix) ?? PREFIX_CHARACTERS - 1;
      let end = Math.min(word.length, start + maxLength);
      let id: number | undefined;
      for (; end > start; end--) {
        id = ids.get(word.slice(start, end));
        if (id !== undefined) break;
      }
      if (id === undefined) end = start + 1;
      if (id === undefined && !isKnown) pieces.push((pieces.pop() ?? 0) + 1);
      else pieces.push(id ?? unknown, end - start);
      isKnown = id !== undefined;
      start = end;
    }
  }

  return (text) => {
    // Normalizing may turn a character into three, each of which may be a piece.
    const capacity = (isAscii(text) ? text.length : 3 * text.length) + 1;
    const ids = new Int32Array(capacity);
    const starts = new Int32Array(capacity);
    const ends = new Int32Array(capacity);
    let length = 0;
    const addWord = (start: number, end: number) => {
      const original = text.slice(start, end);
      const word = normalizeWord(original);
      if (word === "") return;
      const pieces = splitWord(word);
      // Normalizing may change the length: then every piece has the offsets of the word.
      const isAligned = word.length === original.length;
      let at = start;
      for (let index = 0; index < pieces.length; index += 2) {
        const size = pieces[index + 1] ?? 0;
        ids[length] = pieces[index] ?? unknown;
        starts[length] = isAligned ? at : start;
        ends[length] = isAligned ? at + size : end;
        at += size;
        length++;
      }
    };
    for (let at = 0; at < text.length; ) {
      const kind = classify(text, at);
      if (kind === WORD) {
        const start = at;
        while (at < text.length && classify(text, at) === WORD) at += unitsAt(text, at);
        addWord(start, at);
        continue;
      }
      const units = unitsAt(text, at);
      if (kind === SIGN) addWord(at, at + units);
      at += units;
    }
    return { ids, starts, ends, length };
  };
}

/**
 * Returns the length of the longest piece for each start of pieces. It bounds the attempts to find a piece: most starts
 * of random letters have none.
 */
function findMaxLengths(pieces: readonly string[]): Map<string, number> {
  const longest = new Map<string, number>();
  for (const piece of pieces) {
    const prefix = piece.slice(0, PREFIX_CHARACTERS);
    longest.set(prefix, Math.max(longest.get(prefix) ?? 0, piece.length));
  }
  return longest;
}

const NOT_LATIN = /[^\0-\u024f]/;

const SPACE = 0;
const WORD = 1;
/** Punctuation and ideographs are words of their own. */
const SIGN = 2;

const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit <= 0x20 || unit === 0x7f) return SPACE;
  return /[0-9A-Za-z]/.test(String.fromCharCode(unit)) ? WORD : SIGN;
});

function classify(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 128) return ASCII_KINDS[unit] ?? SPACE;
  const point = text.codePointAt(at) ?? 0;
  if (isIdeograph(point)) return SIGN;
  const character = String.fromCodePoint(point);
  if (/[\s\p{Zs}]/u.test(character)) return SPACE;
  return /\p{P}/u.test(character) ? SIGN : WORD;
}

const unitsAt = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const isIdeograph = (point: number) =>
  (point >= 0x4e00 && point <= 0x9fff) ||
  (point >= 0x3400 && point <= 0x4dbf) ||
  (point >= 0xf900 && point <= 0xfaff) ||
  (point >= 0x20000 && point <= 0x2ceaf);

/** Lower case, without accents and invisible characters. Marks of other scripts are vowels and stay. */
function normalizeWord(word: string): string {
  const lower = word.toLowerCase();
  if (isAscii(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(/[\u0300-\u036f\p{Cc}\p{Cf}\ufffd]/gu, "")
    .normalize("NFC");
}
