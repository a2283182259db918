/** Finds a secret of several words, such as a private key, that more text may complete. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import { SECRET_FORMATS } from "./find-secrets.ts";

/** The other formats contain no white space in the secret itself: it is part of the last word, which is always open. */
const OPEN_FORMATS = SECRET_FORMATS.filter(
  ({ pattern }) => /[ ]|\\s|\\n/.test(pattern.source) && !/\((?!\?)/.test(pattern.source),
).flatMap(({ keywords, pattern, isOpen = createOpenTest(pattern) }) =>
  keywords.map((keyword) => ({ keyword, isOpen })),
);

/** Longest name of a value that identifies it as a secret, with what separates them. */
export const NAME_CHARACTERS = 200;

/** Returns the start of the first open secret from `from` on, or the length of the text. */
export function findOpenSecret(text: string, from: number): number {
  const lower = text.slice(from).toLowerCase();
  let first = text.length;
  for (const { keyword, isOpen } of OPEN_FORMATS) {
    for (let at = lower.indexOf(keyword); at >= 0; at = lower.indexOf(keyword, at + 1)) {
      if (from + at >= first) break;
      if (isOpen(text, from + at)) first = from + at;
    }
  }
  return first;
}
