/** Indexes of letters, such as the links `A B C D E F` above a list. They are no words whose letters are written apart. */

/** Six characters or more, each after a space. No alphabet has 64. */
const SPACED = /(?<!\S)(?:\S ){5,63}\S(?!\S)/g;

/** Returns whether each character comes after the one before it in the alphabet. */
export function isLetterIndex(characters: string): boolean {
  const lower = characters.toLowerCase();
  for (let at = 1; at < lower.length; at++) {
    if (lower.charCodeAt(at) <= lower.charCodeAt(at - 1)) return false;
  }
  return true;
}

/** Replaces indexes by spaces, so that offsets stay the same. */
export const blankLetterIndexes = (text: string): string =>
  text.replace(SPACED, (run) =>
    isLetterIndex(run.replaceAll(" ", "")) ? " ".repeat(run.length) : run,
  );
