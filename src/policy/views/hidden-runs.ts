/** Finds text that only a machine sees: ASCII as tag characters, bytes as variation selectors. */
import { isAscii } from "../../lib/text/fold-name.ts";
import { type Decoding, decodings } from "./decoding.ts";
import { SELECTOR_RUNS, TAG_RUNS } from "./invisible.ts";
import { readableBytes } from "./readable-bytes.ts";

/** Their runs as lines, each standing for the whole of its run. */
export function hiddenRuns(text: string): readonly Decoding[] {
  if (isAscii(text) || !/[^\0-\xff]/.test(text)) return [];
  const found = decodings();
  for (const { 0: run, index } of text.matchAll(TAG_RUNS)) {
    // A flag of a region, such as Scotland's, is a black flag followed by tags.
    if (text.slice(index - 2, index) === "\u{1f3f4}") continue;
    const letters = points(run).map(tagLetter).join("");
    if (letters !== "") found.put("tags", letters, index, index + run.length);
  }
  for (const { 0: run, index } of text.matchAll(SELECTOR_RUNS)) {
    const hidden = readableBytes(Uint8Array.from(points(run), selectorByte));
    if (hidden) found.put("variation_selectors", hidden, index, index + run.length);
  }
  return found.done();
}

const points = (run: string) => Array.from(run, (letter) => letter.codePointAt(0) ?? 0);

/** Two of them are not letters: the one that ends a run, and one that was to name a language. */
const tagLetter = (point: number) =>
  point >= 0xe0020 && point < 0xe007f ? String.fromCharCode(point - 0xe0000) : "";

const selectorByte = (point: number) => (point < 0xe0000 ? point - 0xfe00 : point - 0xe0100 + 16);
