/** Reads invisible and control characters inside text both ways: as nothing, and as the space between two words. */
import type { Decoding } from "./decoding.ts";
import { isInvisible } from "./is-invisible.ts";

/** Folding removes invisible characters already, so only text with control characters is joined here. */
export function readHiddenGaps(text: string): readonly Decoding[] {
  if (!MAY_HAVE_GAP.test(text)) return [];
  let readings: ReturnType<typeof createReadings> | undefined;
  for (let at = 0; at < text.length; at++) {
    const end = findGapEnd(text, at);
    if (end === at) continue;
    const hasControl = CONTROL.test(text.slice(at, end));
    if (hasControl ? !isTerminalCode(text, end) : isBetweenWords(text, at, end)) {
      readings ??= createReadings(text);
      readings.add(at, end, hasControl);
    }
    at = end;
  }
  return readings?.build() ?? [];
}

/** Control characters except white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched
const CONTROL = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]/;
/** Rejects most ASCII text. */
const MAY_HAVE_GAP = new RegExp(`${CONTROL.source}|[^\\0-\\x7f]`);

function findGapEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    const point = text.codePointAt(at);
    if (point === undefined || !(isControl(point) || isInvisible(point))) return at;
    at += point > 0xffff ? 2 : 1;
  }
}

/** The same as {@link CONTROL}, without a string for each code point. */
const isControl = (point: number): boolean =>
  point < 0x20 ? point < 0x09 || point > 0x0d : point >= 0x7f && point < 0xa0 && point !== 0x85;

/** Colors of a terminal begin with a control character and `[`. */
const isTerminalCode = (text: string, at: number): boolean => text.charCodeAt(at) === 0x5b;

/** Emoji and words of other scripts contain invisible characters too. */
const isBetweenWords = (text: string, start: number, end: number): boolean =>
  isWord(text.charCodeAt(start - 1)) && isWord(text.charCodeAt(end));
const isWord = (unit: number): boolean => unit > 0x20 && unit < 0x7f;

/** Copies the text twice, with and without a space for each gap. A builder of source maps would need an entry for each. */
function createReadings(text: string) {
  const joined = createCopy(text);
  const spaced = createCopy(text);
  let hasControl = false;
  return {
    add(start: number, end: number, isControlGap: boolean): void {
      hasControl ||= isControlGap;
      joined.skip(start, end);
      spaced.skip(start, end, SPACE);
    },
    build: (): Decoding[] => (hasControl ? [joined.build(), spaced.build()] : [spaced.build()]),
  };
}

const SPACE = 0x20;

function createCopy(text: string) {
  const offsets = new Uint32Array(text.length);
  const units = new Uint16Array(text.length);
  let [count, done] = [0, 0];
  const put = (at: number, unit: number) => {
    offsets[count] = at;
    units[count++] = unit;
  };
  const copyUntil = (end: number) => {
    for (; done < end; done++) put(done, text.charCodeAt(done));
  };
  return {
    skip(start: number, end: number, replacement?: number): void {
      copyUntil(start);
      if (replacement !== undefined) put(start, replacement);
      done = end;
    },
    build(): Decoding {
      copyUntil(text.length);
      return {
        text: Buffer.from(units.buffer, 0, count * 2).toString("utf16le"),
        encoding: "hidden_gaps",
        toOriginal: (start, end) => {
          const first = start < count ? (offsets[start] ?? 0) : text.length;
          return { start: first, end: end > start ? (offsets[end - 1] ?? 0) + 1 : first };
        },
      };
    },
  };
}
