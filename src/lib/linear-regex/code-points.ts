/** Sets of Unicode code points: sorted inclusive ranges that neither overlap nor touch. */
import { UNICODE_EDGES } from "./unicode-edges.ts";

export type CodePoints = readonly (readonly [from: number, to: number])[];

export const LAST_CODE_POINT = 0x10ffff;
export const DIGITS: CodePoints = [[0x30, 0x39]];
export const WORD: CodePoints = union([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
export const NEWLINE: CodePoints = [[0x0a, 0x0a]];
/** White space as in JavaScript: a no-break space must not hide a phrase. */
export const SPACES = union([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);

export function union(ranges: CodePoints): CodePoints {
  const united: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((one, other) => one[0] - other[0])) {
    const last = united.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else united.push([from, to]);
  }
  return united;
}

/** Returns all code points that are not in the set. */
export const complement = computeOnce((set) => {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST_CODE_POINT) rest.push([next, LAST_CODE_POINT]);
  return rest;
});

/** Keeps the result for each set: a pattern may name a class a thousand times. */
function computeOnce(compute: (set: CodePoints) => CodePoints): (set: CodePoints) => CodePoints {
  const results = new WeakMap<CodePoints, CodePoints>();
  return (set) => {
    const result = results.get(set) ?? compute(set);
    results.set(set, result);
    return result;
  };
}

export function contains(set: CodePoints, point: number): boolean {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((set[middle]?.[1] ?? 0) < point) low = middle + 1;
    else high = middle;
  }
  return (set[low]?.[0] ?? point + 1) <= point;
}

/** By name. Bounded by the number of properties that Unicode defines. */
const properties = new Map<string, CodePoints>();

/** Returns the code points of a Unicode property such as `L`, `Greek` or `Script=Han`; undefined when unknown. */
export function readUnicodeProperty(name: string): CodePoints | undefined {
  const cached = properties.get(name);
  if (cached) return cached;
  const member = ["", "Script="].flatMap((kind) => compilePropertyTests(`${kind}${name}`)).at(0);
  if (!member) return undefined;
  const blocks = listBlocks();
  const set = union(blocks.filter(([first]) => member.test(String.fromCodePoint(first))));
  properties.set(name, set);
  return set;
}

function compilePropertyTests(name: string): RegExp[] {
  try {
    return [new RegExp(`^\\p{${name}}$`, "u")];
  } catch {
    return [];
  }
}

let blocks: CodePoints | undefined;

/** Returns ranges of characters that have the same properties: testing one of each takes a hundredth of testing all characters. */
function listBlocks(): CodePoints {
  if (blocks) return blocks;
  let from = 0;
  const before = UNICODE_EDGES.split(" ").map((step): CodePoints[number] => {
    const next = from + Number.parseInt(step, 36);
    const block: CodePoints[number] = [from, next - 1];
    from = next;
    return block;
  });
  blocks = [...before, [from, LAST_CODE_POINT]];
  return blocks;
}

/** Adds all case variants of the letters: K, k and the Kelvin sign are equal. */
export function addCaseVariants(set: CodePoints): CodePoints {
  const [[from, to] = [0, -1]] = set;
  if (set.length > 1 || from !== to) return addVariantsOfAll(set);
  return listCaseVariants().sets.get(from) ?? set;
}

const addVariantsOfAll = computeOnce((set) => {
  const { letters, variants } = listCaseVariants();
  const inside = new Set(listPositions(set));
  const added = new Set<number>();
  for (const position of inside) {
    for (const variant of variants[position] ?? []) if (!inside.has(variant)) added.add(variant);
  }
  if (added.size === 0) return set;
  return union([...set, ...Array.from(added, (position) => toRange(letters[position] ?? 0))]);
});

/** Returns the number of letters of a set that have case variants. */
export const countCased = (set: CodePoints): number => {
  const { letters } = listCaseVariants();
  return set.reduce(
    (sum, [from, to]) => sum + findPosition(letters, to + 1) - findPosition(letters, from),
    0,
  );
};

/** Returns the positions of the letters of a set that have case variants. */
function listPositions(set: CodePoints): number[] {
  const { letters } = listCaseVariants();
  return set.flatMap(([from, to]) => {
    const first = findPosition(letters, from);
    const end = findPosition(letters, to + 1);
    return first < end ? range(first, end - 1) : [];
  });
}

/** Returns the position of the first letter that is not below `point`. */
function findPosition(letters: readonly number[], point: number): number {
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((letters[middle] ?? 0) < point) low = middle + 1;
    else high = middle;
  }
  return low;
}

const toRange = (point: number): [from: number, to: number] => [point, point];

/** Unicode blocks with upper-case and lower-case letters. */
const CASED: CodePoints = [
  [0x41, 0x24e9],
  [0x2c00, 0x2d2d],
  [0xa640, 0xabbf],
  [0xff21, 0xff5a],
  [0x10400, 0x10cf2],
  [0x118a0, 0x118df],
  [0x16e40, 0x16e7f],
  [0x1e900, 0x1e943],
];

interface CaseVariants {
  /** In order. */
  letters: readonly number[];
  /** For each letter, the positions of those that differ from it only by case, and its own. */
  variants: readonly (readonly number[])[];
  /** By letter: itself and its variants. */
  sets: ReadonlyMap<number, CodePoints>;
}

let known: CaseVariants | undefined;

/** Computed on first use. */
function listCaseVariants(): CaseVariants {
  if (known) return known;
  const orbits = new Map<string, number[]>();
  for (const point of CASED.flatMap(([from, to]) => range(from, to))) {
    const letter = String.fromCodePoint(point);
    const upper = letter.toUpperCase();
    const lower = letter.toLowerCase();
    if (upper === lower) continue;
    // A letter that becomes several when its case changes, such as ß, has no variant of one code point.
    const folded = [...upper].length === 1 ? upper.toLowerCase() : lower;
    orbits.set(folded, [...(orbits.get(folded) ?? []), point]);
  }
  const letters = [...orbits.values()].flat().sort((one, other) => one - other);
  const positions = new Map(letters.map((letter, position) => [letter, position]));
  const variants: number[][] = [];
  const sets = new Map<number, CodePoints>();
  for (const orbit of orbits.values()) {
    const members = orbit.map((letter) => positions.get(letter) ?? 0);
    for (const member of members) variants[member] = members;
    const set = union(orbit.map(toRange));
    for (const letter of orbit) sets.set(letter, set);
  }
  known = { letters, variants, sets };
  return known;
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, step) => from + step);
