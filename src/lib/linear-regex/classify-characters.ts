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

  /** Code points from `starts[i]` up to the next start are of class `numberOf[i]`. */
  const starts = [...edges].sort((one, other) => one - other);
  const positions = new Map(starts.map((start, position) => [start, position]));
  let numberOf = new Int32Array(starts.length);
  for (const set of distinct.values()) numberOf = splitClasses(numberOf, markStarts(set));
  const classes: CharacterClass[] = [];
  for (const [at, number] of numberOf.entries()) {
    const sample = starts[at] ?? 0;
    classes[number] ??= { sample, beside: neighborOf(sample) };
  }

  /** Classes of the first 256 characters: a table lookup costs a tenth of calling `classOf`. */
  const table = Uint16Array.from({ length: TABLE_SIZE }, (_, point) => classOf(point));
  const membersOf = new Map([...unique].map((set) => [set, markClasses(set)]));
  return { classes, classOf, table, membersOf };

  /** By position of a start: 1 if it is in the set. */
  function markStarts(set: CodePoints): Uint8Array {
    const marks = new Uint8Array(starts.length);
    for (const [from, to] of set) marks.fill(1, positions.get(from), positions.get(to + 1));
    return marks;
  }

  /** By number of a class: 1 if its characters are in the set. */
  function markClasses(set: CodePoints): Uint8Array {
    const marks = new Uint8Array(classes.length);
    const starting = markStarts(set);
    for (let at = 0; at < starting.length; at++) marks[numberOf[at] ?? 0] = starting[at] ?? 0;
    return marks;
  }

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

/** Splits each class into its members with and without a mark. Numbers are in the order of the first members. */
function splitClasses(numberOf: Int32Array, marks: Uint8Array): Int32Array<ArrayBuffer> {
  const split = new Int32Array(numberOf.length);
  /** One more than the number, by old number and mark. */
  const numbers = new Int32Array(2 * numberOf.length);
  let count = 0;
  for (let at = 0; at < split.length; at++) {
    const key = 2 * (numberOf[at] ?? 0) + (marks[at] ?? 0);
    const number = numbers[key] || ++count;
    numbers[key] = number;
    split[at] = number - 1;
  }
  return split;
}

function neighborOf(point: number): Neighbor {
  if (contains(WORD, point)) return "word";
  return contains(NEWLINE, point) ? "newline" : "other";
}
