/** Looks up the clue words near a value, which indicate its kind. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import type { EntityName } from "./entities.ts";
import type { Clue } from "./scan-words.ts";

/**
 * Returns true if a clue word indicates that the value ending at `end` is an `entity`. For an ambiguous format the word
 * must be linked to the value.
 */
export type HasClue = (entity: EntityName, end: number, isAmbiguous: boolean) => boolean;

const MAX_DISTANCE_BEFORE = 50;
const MAX_DISTANCE_AFTER = 25;
/** Length of the longest value that needs a clue. */
const MAX_CLUED_VALUE = 30;

/** Creates a lookup that returns undefined if no clue is near `at`. Call it with increasing offsets. */
export function createClueLookup(
  text: string,
  clues: readonly Clue[],
): (at: number) => HasClue | undefined {
  let first = 0;
  return (at) => {
    while (first < clues.length && (clues[first]?.end ?? 0) < at - MAX_DISTANCE_BEFORE) first++;
    const around: Clue[] = [];
    for (let index = first; index < clues.length; index++) {
      const clue = clues[index];
      if (!clue || clue.start > at + MAX_CLUED_VALUE + MAX_DISTANCE_AFTER) break;
      if (clue.entities.length === 0) continue;
      if (clue.start > at || !SEPARATED.test(text.slice(clue.start, at))) around.push(clue);
    }
    if (around.length === 0) return undefined;
    return (entity, end, isAmbiguous) =>
      around.some(
        (clue) =>
          clue.entities.includes(entity) &&
          ((clue.end <= at && (!isAmbiguous || isLinked(text.slice(clue.end, at)))) ||
            (clue.start >= end &&
              clue.start <= end + MAX_DISTANCE_AFTER &&
              LINK_TO_CLUE_AFTER.test(text.slice(end, clue.start)))),
      );
  };
}

/** Another value or the end of a sentence separates a clue from a value; a question mark does not. */
const SEPARATED = /\d{3}|\p{Ll}{4}[.!]\s|\n\s{0,8}\n/u;
/** Links a value to the clue after it: `… is my SSN`, `… (SSN)`. */
const LINK_TO_CLUE_AFTER = /^["')]?[ \t]{0,3}(?:\(|(?:is|was|as|es|ist|est)\b)[^\d.!?:;,\n]*$/;

/** Returns whether a clue word could still follow a value that ends at `end`. */
export function mayGetClueAfter(text: string, end: number): boolean {
  return text.length - end <= MAX_DISTANCE_AFTER + MAX_CLUE_WORD && isLinkOpen(text, end);
}

const isLinkOpen = createOpenTest(
  /["')]?[ \t]{0,3}(?:\(|(?:is|was|as|es|ist|est)\b)[^\d.!?:;,\n]*/,
);
/** Longer than any clue word. */
const MAX_CLUE_WORD = 32;

/**
 * Checks that the text between a clue and a value links them: `account number is …`, `call Maria at …`, but not
 * `the account has … followers`.
 */
function isLinked(between: string): boolean {
  // Part of a path: `https://…/call/1234567`.
  if (between.endsWith("/")) return false;
  const words = between.match(CASED_WORD) ?? [];
  if (NUMBER_WORDS.has(words[0]?.toLowerCase() ?? "")) return true;
  // Before a colon, a capitalized word is part of a title: `Account Balance: …`.
  const mayBeName = !/[:=]\W*$/.test(between);
  return words.every(
    (word) =>
      LINKING_WORDS.has(word.toLowerCase()) || (mayBeName && /^\p{Lu}(?:\p{Ll}|$)/u.test(word)),
  );
}

/** Excludes scripts without case, which do not separate words. */
const CASED_WORD = /[\p{Lu}\p{Ll}][\p{L}\p{M}]*/gu;
const NUMBER_WORDS = new Set(
  "number numbers num no nos nr número numero núm nummer numéro номер".split(" "),
);
const LINKING_WORDS = new Set([
  ...NUMBER_WORDS,
  ...(
    "is was are of for at on to in via or and with ending the a an my your his her our their its me us him them " +
    "new old current main direct home work office private personal customer client user patient employee member " +
    "bank savings checking mobile cell phone fax " +
    "es de del el la los al en mi su tu cliente móvil fijo casa trabajo " +
    "ist war lautet der die das den dem des von vom für unter auf mein meine meiner ihr ihre kunde kunden " +
    "est le les du au à mon ma votre notre è di il lo mio mia suo della é do da o meu minha seu " +
    "van het mijn uw op мой моя мне на по"
  ).split(" "),
]);
