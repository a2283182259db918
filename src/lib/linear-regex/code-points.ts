/** Sets of Unicode code points: sorted inclusive ranges that neither overlap nor touch. */

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

export function complement(set: CodePoints): CodePoints {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST_CODE_POINT) rest.push([next, LAST_CODE_POINT]);
  return rest;
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
  const ranges = listCharacters().flatMap((text) =>
    Array.from(text.matchAll(member), ({ 0: run, index }) => rangeOf(text, index, run.length)),
  );
  const set = union(ranges);
  properties.set(name, set);
  return set;
}

function compilePropertyTests(name: string): RegExp[] {
  try {
    return [new RegExp(`\\p{${name}}+`, "gu")];
  } catch {
    return [];
  }
}

let characters: readonly string[] | undefined;

/**
 * Returns all code points in order: a search in them takes a tenth of the time of a million tests.
 * Surrogates are separate, because two of them would be another character.
 */
function listCharacters(): readonly string[] {
  characters ??= [
    joinCharacters(0, FIRST_SURROGATE - 1),
    ...range(FIRST_SURROGATE, LAST_SURROGATE).map((point) => String.fromCodePoint(point)),
    joinCharacters(LAST_SURROGATE + 1, LAST_CODE_POINT),
  ];
  return characters;
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

function joinCharacters(from: number, to: number): string {
  let text = "";
  for (let point = from; point <= to; point++) text += String.fromCodePoint(point);
  return text;
}

/** Returns the first and the last code point of a match. */
function rangeOf(text: string, start: number, length: number): [from: number, to: number] {
  const last = start + length - 1;
  const pair = last > start ? (text.codePointAt(last - 1) ?? 0) : 0;
  const to = pair > 0xffff ? pair : text.codePointAt(last);
  return [text.codePointAt(start) ?? 0, to ?? 0];
}

/** Adds all case variants of the letters: K, k and the Kelvin sign are equal. */
export function addCaseVariants(set: CodePoints): CodePoints {
  const { letters, variants, positions } = listCaseVariants();
  const [[from, to] = [0, -1]] = set;
  if (set.length === 1 && from === to) {
    const orbit = variants[positions.get(from) ?? -1] ?? [];
    return union([...set, ...orbit.map((each) => toRange(letters[each] ?? 0))]);
  }
  const inside = new Uint8Array(letters.length);
  let at = 0;
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? 0;
    while (at < set.length && (set[at]?.[1] ?? 0) < letter) at++;
    if (at === set.length) break;
    if ((set[at]?.[0] ?? 0) <= letter) inside[index] = 1;
  }
  const added: CodePoints[number][] = [];
  for (let index = 0; index < letters.length; index++) {
    if (inside[index] || !variants[index]?.some((each) => inside[each])) continue;
    added.push(toRange(letters[index] ?? 0));
  }
  return added.length === 0 ? set : union([...set, ...added]);
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
  positions: ReadonlyMap<number, number>;
  /** For each letter, the positions of those that differ from it only by case, and its own. */
  variants: readonly (readonly number[])[];
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
  for (const orbit of orbits.values()) {
    const members = orbit.map((letter) => positions.get(letter) ?? 0);
    for (const member of members) variants[member] = members;
  }
  known = { letters, positions, variants };
  return known;
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, step) => from + step);
