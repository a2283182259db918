/** Whether a word near a value says of what kind it is. */
import type { EntityName } from "./entities.ts";
import type { Clue } from "./scan-words.ts";

/**
 * Whether the value that starts at the place asked about, and ends at `end`, is said to be an `entity`. Of one
 * that is `unmarked` the word itself must say it, and not only stand nearby.
 */
export type HasClue = (entity: EntityName, end: number, unmarked: boolean) => boolean;

const MAX_DISTANCE_BEFORE = 50;
const MAX_DISTANCE_AFTER = 25;
/** The longest value that only a clue can tell. */
const MAX_CLUED_VALUE = 30;

/** undefined: there is no clue around. Places must be asked about in the order of the text. */
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
    return (entity, end, unmarked) =>
      around.some(
        (clue) =>
          clue.entities.includes(entity) &&
          ((clue.end <= at && (!unmarked || isLinked(text.slice(clue.end, at)))) ||
            (clue.start >= end &&
              clue.start <= end + MAX_DISTANCE_AFTER &&
              LINK_TO_CLUE_AFTER.test(text.slice(end, clue.start)))),
      );
  };
}

/** Another value in between is what the word was about, and so is another sentence; a question is answered. */
const SEPARATED = /\d{3}|\p{Ll}{4}[.!]\s|\n\s{0,8}\n/u;
/** What links a value to the word behind it: `… is my SSN`, `… (SSN)`. */
const LINK_TO_CLUE_AFTER = /^["')]?[ \t]{0,3}(?:\(|(?:is|was|as|es|ist|est)\b)[^\d.!?:;,\n]*$/;

/**
 * Whether what stands between a word and a value lets the one be about the other: `account number is …`,
 * `call Maria at …`, and not `the account has … followers`.
 */
function isLinked(between: string): boolean {
  // A path: `https://…/call/1234567`.
  if (between.endsWith("/")) return false;
  const words = between.match(CASED_WORD) ?? [];
  if (NUMBER_WORDS.has(words[0]?.toLowerCase() ?? "")) return true;
  // Before a colon a capital is that of a title: `Account Balance: …`.
  const mayBeName = !/[:=]\W*$/.test(between);
  return words.every(
    (word) =>
      LINKING_WORDS.has(word.toLowerCase()) || (mayBeName && /^\p{Lu}(?:\p{Ll}|$)/u.test(word)),
  );
}

/** Scripts without case write no spaces either: their words cannot be told. */
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
