/** Finds personal data at the end of text that more text may complete or change. */
import { mayGetClueAfter } from "./clue-lookup.ts";
import { formatsFor, isInsideLongerValue } from "./find-entities.ts";
import { findOpenPhone } from "./find-phones.ts";
import { foldDigits } from "./fold-digits.ts";
import { isWeak, mayGetSibling } from "./is-machine-value.ts";
import { scanWords } from "./scan-words.ts";

/** Distance of the clue words and signs before a value that are read. */
export const VALUE_CONTEXT = 160;
/** Characters before a value that its pattern reads. */
const BEFORE_VALUE = 32;

/**
 * Returns the start of the first open value from `from` on, or the length of the text. Ignores the last word, which is
 * always open.
 */
export function findOpenValue(exact: string, from: number): number {
  const base = Math.max(0, from - BEFORE_VALUE);
  const text = foldDigits(exact.slice(base));
  const { starts, ends } = scanWords(text);
  for (const [index, at] of starts.entries()) {
    if (base + at < from || isInsideLongerValue(text, at)) continue;
    const isDigit = text.charCodeAt(at) <= NINE;
    if (isDigit) {
      const phone = findOpenPhone(text, at);
      const mayChange = (end: number) =>
        mayGetClueAfter(text, end, "near") || mayGetSibling(text, at, end);
      if (phone.isOpen || phone.ends.some(mayChange)) return base + phone.start;
    }
    const isOpen = formatsFor(isDigit, (ends[index] ?? 0) - at).some((format) => {
      if (format.isOpen(text, at)) return true;
      const end = format.findEnd(text, at);
      if (end < 0) return false;
      const canRise = format.confidenceWithClue > format.confidence;
      if (canRise && mayGetClueAfter(text, end, format.clueScope ?? "sentence")) return true;
      return isWeak(format.confidence) && mayGetSibling(text, at, end);
    });
    if (isOpen) return base + at;
  }
  return exact.length;
}

const NINE = 0x39;
