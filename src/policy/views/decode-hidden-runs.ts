/** Decodes invisible text: ASCII written as tag characters, bytes written as variation selectors. */
import { isAscii } from "../../lib/text/fold-name.ts";
import { decodeReadableBytes } from "./decode-readable-bytes.ts";
import { createDecodingCollector, type Decoding } from "./decoding.ts";
import { SELECTOR_RUNS, TAG_RUNS } from "./is-invisible.ts";

/** Returns one line per run, mapped to the whole run. */
export function decodeHiddenRuns(text: string): readonly Decoding[] {
  if (isAscii(text) || !/[^\0-\xff]/.test(text)) return [];
  const decodings = createDecodingCollector();
  for (const { 0: run, index } of text.matchAll(TAG_RUNS)) {
    // Skips flags of regions, such as Scotland's: a black flag followed by tags.
    if (text.slice(index - 2, index) === "\u{1f3f4}") continue;
    const letters = toCodePoints(run).map(toTagLetter).join("");
    if (letters !== "") decodings.add("tags", letters, index, index + run.length);
  }
  for (const { 0: run, index } of text.matchAll(SELECTOR_RUNS)) {
    const hidden = decodeReadableBytes(Uint8Array.from(toCodePoints(run), toSelectorByte));
    if (hidden) decodings.add("variation_selectors", hidden, index, index + run.length);
  }
  return decodings.build();
}

const toCodePoints = (run: string) => Array.from(run, (letter) => letter.codePointAt(0) ?? 0);

/** Returns an empty string for the two tags that are not letters: CANCEL TAG and LANGUAGE TAG. */
const toTagLetter = (point: number) =>
  point >= 0xe0020 && point < 0xe007f ? String.fromCharCode(point - 0xe0000) : "";

const toSelectorByte = (point: number) => (point < 0xe0000 ? point - 0xfe00 : point - 0xe0100 + 16);
