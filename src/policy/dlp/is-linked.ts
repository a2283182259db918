/** Checks the words between a clue word and an ambiguous value. */

/**
 * Checks that the text between a clue and a value links them: `account number is …`, `call Maria at …`, but not
 * `the account has … followers`.
 */
export function isLinked(between: string): boolean {
  // Part of a path: `https://…/call/1234567`.
  if (between.endsWith("/")) return false;
  const words = between.match(CASED_WORD) ?? [];
  if (NUMBER_WORDS.has(words[0]?.toLowerCase() ?? "")) return true;
  if (between.length > MAX_LINK) return false;
  // Before a colon, a capitalized word is part of a title: `Account Balance: …`.
  const mayBeName = !/[:=]\W*$/.test(between);
  return words.every(
    (word) =>
      LINKING_WORDS.has(word.toLowerCase()) || (mayBeName && /^\p{Lu}(?:\p{Ll}|$)/u.test(word)),
  );
}

/** Longer text links only after `number`. */
const MAX_LINK = 50;

/**
 * Checks that the text between a clue and a value ends with a statement of the value (`the license that he showed us
 * is …`, `he had no passport but wrote down …`), and that it is not the statement of an amount.
 */
export function isStated(between: string): boolean {
  return STATEMENT.test(between) && !AMOUNT.test(between);
}

const STATEMENT =
  /(?:\b(?:is|are|be|was|were|reads?|reading|shows?|showing|says|saying|gave|given|wrote|written|down|entered|them|us|me)|['’]s):? ["'(]?$/i;
const AMOUNT =
  /\b(?:total|amount|balance|sum|count|price|cost|fee|revenue|value|worth|size|average|year|population|order|office)s?\b/i;

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
