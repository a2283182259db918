/** Finds text that only a machine sees: ASCII as tag characters, bytes as variation selectors. */
import { isAscii } from "../../lib/text/fold-name.ts";
import { decodeReadableBytes } from "./decode-readable-bytes.ts";
import { createDecodingCollector, type Decoding } from "./decoding.ts";
import { SELECTOR_RUNS, TAG_RUNS } from "./is-invisible.ts";

/** Their runs as lines, each standing for the whole of its run. */
export function decodeHiddenRuns(text: string): readonly Decoding[] {
  if (isAscii(text) || !/[^\0-\xff]/.test(text)) return [];
  const found = createDecodingCollector();
  for (const { 0: run, index } of text.matchAll(TAG_RUNS)) {
    // A flag of a region, such as Scotland's, is a black flag followed by tags.
    if (text.slice(index - 2, index) === "\u{1f3f4}") continue;
    const letters = toCodePoints(run).map(toTagLetter).join("");
    if (letters !== "") found.add("tags", letters, index, index + run.length);
  }
  for (const { 0: run, index } of text.matchAll(SELECTOR_RUNS)) {
    const hidden = decodeReadableBytes(Uint8Array.from(toCodePoints(run), toSelectorByte));
    if (hidden) found.add("variation_selectors", hidden, index, index + run.length);
  }
  return found.build();
}

const toCodePoints = (run: string) => Array.from(run, (letter) => letter.codePointAt(0) ?? 0);

/** Two of them are not letters: the one that ends a run, and one that was to name a language. */
const toTagLetter = (point: number) =>
  point >= 0xe0020 && point < 0xe007f ? String.fromCharCode(point - 0xe0000) : "";

const toSelectorByte = (point: number) => (point < 0xe0000 ? point - 0xfe00 : point - 0xe0100 + 16);
