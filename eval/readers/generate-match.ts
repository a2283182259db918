/** Generates values of the format that a regular expression describes. RE2 syntax. */
import type { Random } from "../../test/kit/random.ts";

type Node =
  | { kind: "characters"; choices: readonly string[] }
  | { kind: "group"; isFirst: boolean; alternatives: readonly (readonly Node[])[] }
  | { kind: "repeat"; node: Node; min: number; max: number };

/** Returns text that the first group of `pattern` matches, or the whole pattern if it has no group. */
export function generateMatch(pattern: string, random: Random): string {
  let text = "";
  let group: string | undefined;
  const write = (node: Node): void => {
    if (node.kind === "characters") text += random.pick(node.choices);
    else if (node.kind === "repeat") {
      const extra = random.below(Math.min(node.max - node.min, MAX_EXTRA) + 1);
      for (let count = 0; count < node.min + extra; count += 1) write(node.node);
    } else {
      const start = text.length;
      for (const each of random.pick(node.alternatives)) write(each);
      if (node.isFirst) group ??= text.slice(start);
    }
  };
  const alternatives = parseAlternatives(pattern, { at: 0, groups: 0 });
  write({ kind: "group", isFirst: false, alternatives });
  return group ?? text;
}

/** Repetitions beyond the minimum. */
const MAX_EXTRA = 8;

interface Cursor {
  at: number;
  /** Number of capturing groups so far. */
  groups: number;
}

/** Parses up to the closing parenthesis or the end. */
function parseAlternatives(pattern: string, cursor: Cursor): Node[][] {
  const alternatives: Node[][] = [[]];
  while (cursor.at < pattern.length && pattern[cursor.at] !== ")") {
    if (pattern[cursor.at] === "|") {
      cursor.at += 1;
      alternatives.push([]);
      continue;
    }
    const node = parseAtom(pattern, cursor);
    const repeated = node && parseRepeat(pattern, cursor, node);
    if (repeated) alternatives.at(-1)?.push(repeated);
  }
  return alternatives;
}

/** Returns undefined for anchors, which match no characters. */
function parseAtom(pattern: string, cursor: Cursor): Node | undefined {
  const next = pattern[cursor.at] ?? "";
  if (next === "(") return parseGroup(pattern, cursor);
  if (next === "[") return { kind: "characters", choices: parseClass(pattern, cursor) };
  cursor.at += 1;
  if (next === "^" || next === "$") return undefined;
  if (next === ".") return { kind: "characters", choices: WORD };
  if (next !== "\\") return { kind: "characters", choices: [next] };
  const choices = parseEscape(pattern, cursor);
  return choices.length > 0 ? { kind: "characters", choices } : undefined;
}

function parseGroup(pattern: string, cursor: Cursor): Node | undefined {
  const [opening = "", flags, isColon] =
    /^\((?:\?(?:P<\w+>|([a-zA-Z-]*)(:?)))?/.exec(pattern.slice(cursor.at)) ?? [];
  cursor.at += opening.length;
  // `(?i)` sets a flag for the rest; letters are generated as written.
  if (flags !== undefined && isColon === "") {
    cursor.at += 1;
    return undefined;
  }
  const isCapturing = flags === undefined;
  if (isCapturing) cursor.groups += 1;
  const isFirst = isCapturing && cursor.groups === 1;
  const alternatives = parseAlternatives(pattern, cursor);
  cursor.at += 1;
  return { kind: "group", isFirst, alternatives };
}

function parseRepeat(pattern: string, cursor: Cursor, node: Node): Node {
  const [matched = "", sign, min = "", comma, max = ""] =
    /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(pattern.slice(cursor.at)) ?? [];
  if (matched === "") return node;
  cursor.at += matched.length;
  if (sign) return { kind: "repeat", node, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : 8 };
  const least = Number(min);
  const most = comma === "" ? least : max === "" ? least + 8 : Number(max);
  return { kind: "repeat", node, min: least, max: most };
}

function parseClass(pattern: string, cursor: Cursor): readonly string[] {
  cursor.at += 1;
  const isNegated = pattern[cursor.at] === "^";
  if (isNegated) cursor.at += 1;
  const choices: string[] = [];
  for (let isFirst = true; isFirst || pattern[cursor.at] !== "]"; isFirst = false) {
    const posix = /^\[:(\w+):\]/.exec(pattern.slice(cursor.at));
    if (posix) {
      cursor.at += posix[0].length;
      choices.push(...(posix[1] === "digit" ? DIGITS : WORD));
      continue;
    }
    const own = parseClassMember(pattern, cursor);
    const isRange =
      own.length === 1 && pattern[cursor.at] === "-" && pattern[cursor.at + 1] !== "]";
    if (!isRange) {
      choices.push(...own);
      continue;
    }
    cursor.at += 1;
    const [last = ""] = parseClassMember(pattern, cursor);
    choices.push(...range(own[0] ?? "", last));
  }
  cursor.at += 1;
  // Negated classes end a value: a space does, too.
  return isNegated ? [" "] : choices;
}

function parseClassMember(pattern: string, cursor: Cursor): readonly string[] {
  const next = pattern[cursor.at] ?? "";
  cursor.at += 1;
  return next === "\\" ? parseEscape(pattern, cursor) : [next];
}

/** Reads the part after the backslash. Returns no characters for boundaries. */
function parseEscape(pattern: string, cursor: Cursor): readonly string[] {
  const next = pattern[cursor.at] ?? "";
  cursor.at += 1;
  if (next === "x") {
    const [digits = ""] =
      /^(?:\{[0-9a-fA-F]+\}|[0-9a-fA-F]{2})/.exec(pattern.slice(cursor.at)) ?? [];
    cursor.at += digits.length;
    return [String.fromCodePoint(Number.parseInt(digits.replace(/[{}]/g, ""), 16))];
  }
  return ESCAPES[next] ?? [next];
}

const range = (first: string, last: string): string[] => {
  const from = first.codePointAt(0) ?? 0;
  const to = last.codePointAt(0) ?? 0;
  return Array.from({ length: to - from + 1 }, (_, step) => String.fromCodePoint(from + step));
};

const DIGITS = range("0", "9");
const WORD = [...range("a", "z"), ...range("A", "Z"), ...DIGITS];
const ESCAPES: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: WORD,
  s: [" "],
  S: WORD,
  n: ["\n"],
  r: ["\r"],
  t: ["\t"],
  b: [],
  B: [],
  A: [],
  z: [],
  Z: [],
};
