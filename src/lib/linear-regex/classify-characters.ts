/** Groups the characters that a pattern does not distinguish: each class is one input of its automaton. */
import { type CodePoints, contains, LAST_CODE_POINT, NEWLINE, WORD } from "./code-points.ts";

/** The character beside a position, as far as assertions depend on it. */
export type Neighbor = "nothing" | "word" | "newline" | "other";

export interface CharacterClass {
  /** One character of the class, representative of all. */
  sample: number;
  beside: Neighbor;
}

const TABLE_SIZE = 256;

export function classifyCharacters(sets: readonly CodePoints[]) {
  // By identity first: a repetition has the same set up to 2,000 times.
  const unique = new Set([...sets, WORD, NEWLINE]);
  const distinct = new Map([...unique].map((set) => [set.join(), set]));
  const edges = new Set([0]);
  for (const set of distinct.values()) {
    for (const [from, to] of set) edges.add(from).add(to + 1);
  }
  edges.delete(LAST_CODE_POINT + 1);

  const classes: CharacterClass[] = [];
  const numbers = new Map<string, number>();
  /** Code points from `starts[i]` up to the next start are of class `numberOf[i]`. */
  const starts = [...edges].sort((one, other) => one - other);
  const numberOf = starts.map((sample) => {
    const membership = [...distinct.values()]
      .map((set) => (contains(set, sample) ? 1 : 0))
      .join("");
    const number =
      numbers.get(membership) ?? classes.push({ sample, beside: neighborOf(sample) }) - 1;
    numbers.set(membership, number);
    return number;
  });

  /** Classes of the first 256 characters: a table lookup costs a tenth of calling `classOf`. */
  const table = Uint16Array.from({ length: TABLE_SIZE }, (_, point) => classOf(point));
  return { classes, classOf, table };

  function classOf(point: number): number {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= point) low = middle;
      else high = middle;
    }
    return numberOf[low] ?? 0;
  }
}

function neighborOf(point: number): Neighbor {
  if (contains(WORD, point)) return "word";
  return contains(NEWLINE, point) ? "newline" : "other";
}
