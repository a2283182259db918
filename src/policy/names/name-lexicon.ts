/** Facts about words: the group of words with a similar meaning, and the lists of names that contain the word. */

/** Facts of a word: its group in the low bits, and its flags above. 0 for an unknown word. */
export const GROUP_BITS = 10;
export const GROUP_MASK = (1 << GROUP_BITS) - 1;
/** Bits of a group that are shared with related groups. */
export const RELATED_GROUP_SHIFT = 4;

export const GIVEN_NAME = 1 << GROUP_BITS;
export const SURNAME = GIVEN_NAME << 1;
export const CITY = GIVEN_NAME << 2;
export const REGION = GIVEN_NAME << 3;
export const ORGANIZATION_WORD = GIVEN_NAME << 4;
/** Words of the dictionary. */
export const COMMON_WORD = GIVEN_NAME << 5;
/** Words that texts mostly write in lower case. */
export const MOSTLY_LOWER = GIVEN_NAME << 6;
/** Words that texts mostly write with a capital. */
export const MOSTLY_CAPITALIZED = GIVEN_NAME << 7;
/** Names that are recognized in lower case too. */
export const NAME_IN_LOWER_CASE = GIVEN_NAME << 8;

const FACT_BITS = GROUP_BITS + 9;
const FACT_MASK = (1 << FACT_BITS) - 1;

/**
 * Returns the facts of a word by its hash. The table is an open-addressing hash table with a power of two of slots. A
 * slot has a fingerprint of the word and its facts; about one unknown word in a thousand gets the facts of another.
 */
export function readFacts(table: Uint32Array, hash: number): number {
  const mask = table.length - 1;
  const mixed = mixHash(hash);
  const fingerprint = mixed >>> FACT_BITS;
  for (let slot = mixed & mask; ; slot = (slot + 1) & mask) {
    const entry = table[slot] ?? 0;
    if (entry === 0) return 0;
    if (entry >>> FACT_BITS === fingerprint) return entry & FACT_MASK;
  }
}

/** Builds the table. At most three quarters of its slots are used. */
export function buildLexicon(facts: ReadonlyMap<number, number>): Uint32Array {
  let slots = 1;
  while (slots * 0.75 < facts.size) slots *= 2;
  const table = new Uint32Array(slots);
  for (const [hash, value] of facts) {
    const mixed = mixHash(hash);
    let slot = mixed & (slots - 1);
    while (table[slot]) slot = (slot + 1) & (slots - 1);
    table[slot] = ((mixed >>> FACT_BITS) << FACT_BITS) | value;
  }
  return table;
}

const mixHash = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
};
