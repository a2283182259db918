/** Finds a secret of several words, such as a private key, that more text may complete. */
import { toOpenPattern } from "../../lib/text/open-pattern.ts";
import { SECRET_FORMATS } from "./find-secrets.ts";

/** The other formats contain no white space in the secret itself: it is part of the last word, which is always open. */
const OPEN_FORMATS = SECRET_FORMATS.filter(
  ({ pattern }) => /[ ]|\\s|\\n/.test(pattern.source) && !/\((?!\?)/.test(pattern.source),
).flatMap(({ keywords, pattern }) => keywords.map((keyword) => ({ keyword, pattern })));

let openPatterns: RegExp[] | undefined;

/** Longest name of a value that identifies it as a secret, with what separates them. */
export const NAME_CHARACTERS = 160;

/** Returns the start of the first open secret from `from` on, or the length of the text. */
export function findOpenSecret(text: string, from: number): number {
  const lower = text.slice(from).toLowerCase();
  let first = text.length;
  for (const [index, { keyword }] of OPEN_FORMATS.entries()) {
    for (let at = lower.indexOf(keyword); at >= 0; at = lower.indexOf(keyword, at + 1)) {
      // Lazy: only streams need them.
      openPatterns ??= OPEN_FORMATS.map(({ pattern }) => toOpenPattern(pattern));
      const open = openPatterns[index];
      if (!open || from + at >= first) break;
      open.lastIndex = from + at;
      if (open.test(text)) first = from + at;
    }
  }
  return first;
}
