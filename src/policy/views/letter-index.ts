/** Indexes of letters, such as the links `A B C D E F` above a list. They are no words whose letters are written apart. */

/** Six characters or more, each after a space. No alphabet has 64. */
const SPACED = /(?<!\S)(?:\S ){5,63}\S(?!\S)/g;

/** Returns whether the characters are in alphabetical order. After twelve of them, the ten digits and three others may follow. */
export function isLetterIndex(characters: string): boolean {
  const lower = characters.toLowerCase();
  let end = 1;
  while (end < lower.length && lower.charCodeAt(end) > lower.charCodeAt(end - 1)) end++;
  if (end >= lower.length) return true;
  return end >= MIN_ORDERED && lower.slice(end).replace(DIGITS, "").length <= MAX_OTHERS;
}
const MIN_ORDERED = 12;
/** Signs and the letters of a language after Z, such as `Å Ä Ö`. Too few for a word. */
const MAX_OTHERS = 3;
const DIGITS = /^0?1234567890?/;

/** Replaces indexes by spaces, so that offsets stay the same. */
export const blankLetterIndexes = (text: string): string =>
  text.replace(SPACED, (run) =>
    isLetterIndex(run.replaceAll(" ", "")) ? " ".repeat(run.length) : run,
  );
