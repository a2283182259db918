/** Whether a word near a value says of what kind it is. */
import type { EntityName } from "./entities.ts";
import type { Clue } from "./scan-words.ts";

/** Whether the value that starts at the place asked about, and ends at `end`, is said to be an `entity`. */
export type IsNear = (entity: EntityName, end: number) => boolean;

const BEFORE = 50;
const AFTER = 25;
/** The longest value that only a clue can tell. */
const LONGEST = 30;

/** undefined: there is no clue around. Places must be asked about in the order of the text. */
export function nearby(text: string, clues: readonly Clue[]): (at: number) => IsNear | undefined {
  let first = 0;
  return (at) => {
    while (first < clues.length && (clues[first]?.end ?? 0) < at - BEFORE) first++;
    const around: Clue[] = [];
    for (let index = first; index < clues.length; index++) {
      const clue = clues[index];
      if (!clue || clue.start > at + LONGEST + AFTER) break;
      if (clue.entities.length === 0) continue;
      if (clue.start > at || !PARTED.test(text.slice(clue.start, at))) around.push(clue);
    }
    if (around.length === 0) return undefined;
    return (entity, end) =>
      around.some(
        (clue) =>
          clue.entities.includes(entity) &&
          (clue.end <= at ||
            (clue.start >= end &&
              clue.start <= end + AFTER &&
              SAYS.test(text.slice(end, clue.start)))),
      );
  };
}

/** Another value in between is what the word was about, and so is another sentence; a question is answered. */
const PARTED = /\d{3}|\p{Ll}{4}[.!]\s|\n\s{0,8}\n/u;
/** What links a value to the word behind it: `… is my SSN`, `… (SSN)`. */
const SAYS = /^["')]?[ \t]{0,3}(?:\(|(?:is|was|as|es|ist|est)\b)[^\d.!?:;,\n]*$/;
