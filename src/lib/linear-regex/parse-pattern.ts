/** Parses a pattern. The syntax is the common part of RE2 and JavaScript, without look-around and back-references. */
import {
  addCaseVariants,
  type CodePoints,
  complement,
  countCased,
  LAST_CODE_POINT,
  NEWLINE,
  readUnicodeProperty,
  union,
} from "./code-points.ts";
import { ANY, CLASSES, CONTROLS, POSIX } from "./named-classes.ts";

export type Assertion = "start" | "end" | "line_start" | "line_end" | "edge" | "no_edge";

export type PatternTree =
  | { kind: "one_of"; set: CodePoints }
  | { kind: "sequence"; items: readonly PatternTree[] }
  | { kind: "choice"; items: readonly PatternTree[] }
  | { kind: "repeat"; item: PatternTree; min: number; max: number; greedy: boolean }
  | { kind: "assert"; assertion: Assertion };

export interface ParsedPattern {
  tree: PatternTree;
  /** Ranges of the different classes, as a measure of time and memory. */
  ranges: number;
}

const MAX_REPEAT = 1000;
/** \p{L} has 684 ranges. 600 classes of this size in a pattern took 0.3 s and 20 MB. */
const MAX_RANGES = 10_000;
/** Case variants of one letter. */
const MAX_VARIANTS = 4;
/** Adding a case variant takes less time than adding a range to a class. */
const CASED_PER_RANGE = 4;

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  b: "edge",
  B: "no_edge",
  A: "start",
  z: "end",
};

interface Flags {
  i: boolean;
  m: boolean;
  s: boolean;
}

export function parsePattern(source: string, ignoreCase: boolean): ParsedPattern {
  let at = 0;
  let flags: Flags = { i: ignoreCase, m: false, s: false };
  let ranges = 0;
  const counted = new Set<CodePoints>();
  const points = new Map<number, CodePoints>();
  /** Classes in brackets, by flag and source: repeated ones are one set. */
  const brackets = new Map<string, CodePoints>();

  const tree = choice();
  if (at < source.length)
    throw new Error(`")" at ${at} has no opening parenthesis. Write \\) for the character.`);
  return { tree, ranges };

  function choice(): PatternTree {
    const outer = flags;
    const items = [sequence()];
    while (accept("|")) items.push(sequence());
    flags = outer;
    return items.length === 1 && items[0] ? items[0] : { kind: "choice", items };
  }

  function sequence(): PatternTree {
    const items: PatternTree[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      const item = atom();
      if (item) items.push(repeated(item));
    }
    return { kind: "sequence", items };
  }

  function repeated(item: PatternTree): PatternTree {
    const from = at;
    const [min, max] = bounds() ?? [];
    if (min === undefined || max === undefined) return item;
    if (item.kind === "assert") reject("repeats an assertion, which has no length", from);
    const greedy = !accept("?");
    if (/^(?:[*+?]|\{\d{1,9},?\d{0,9}\})/.test(source.slice(at, at + 21))) {
      reject("repeats a repetition", at);
    }
    return { kind: "repeat", item, min, max, greedy };
  }

  function bounds(): readonly [number, number] | undefined {
    if (accept("*")) return [0, Number.POSITIVE_INFINITY];
    if (accept("+")) return [1, Number.POSITIVE_INFINITY];
    if (accept("?")) return [0, 1];
    if (source[at] !== "{") return undefined;
    const counted = /^\{(\d{1,9})(,?)(\d{0,9})\}/.exec(source.slice(at, at + 21));
    if (!counted) return undefined;
    const [whole, low = "", comma, high = ""] = counted;
    const min = Number(low);
    const max = high ? Number(high) : comma ? Number.POSITIVE_INFINITY : min;
    if (min > max) reject("has a minimum above its maximum", at);
    if (Math.max(min, high ? max : 0) > MAX_REPEAT)
      reject(`repeats more than ${MAX_REPEAT} times`, at);
    at += whole.length;
    return [min, max];
  }

  /** Returns undefined for flags, which match nothing themselves. */
  function atom(): PatternTree | undefined {
    if (accept("(")) return group();
    if (accept("[")) return { kind: "one_of", set: bracket() };
    if (accept(".")) return { kind: "one_of", set: flags.s ? ANY : complement(NEWLINE) };
    if (accept("^")) return { kind: "assert", assertion: flags.m ? "line_start" : "start" };
    if (accept("$")) return { kind: "assert", assertion: flags.m ? "line_end" : "end" };
    if (accept("*") || accept("+") || accept("?")) reject("has nothing to repeat", at - 1);
    const assertion = source[at] === "\\" ? ASSERTIONS[source[at + 1] ?? ""] : undefined;
    if (assertion) {
      at += 2;
      return { kind: "assert", assertion };
    }
    const from = at;
    const set = withVariants(member());
    return { kind: "one_of", set: set.length > MAX_VARIANTS ? count(set, from) : set };
  }

  function group(): PatternTree | undefined {
    const opened = at - 1;
    const outer = flags;
    if (accept("?")) {
      if (/^<?[=!]/.test(source.slice(at, at + 2))) {
        reject("is a look-around, which cannot be searched in linear time", opened);
      }
      const head = /^(?:P?<\w{1,64}>|(?:[ims]{0,3}(?:-[ims]{1,3})?)[:)])/.exec(
        source.slice(at, at + 70),
      )?.[0];
      if (!head) reject("is an unsupported kind of group", opened);
      at += head.length;
      if (!head.endsWith(">")) {
        const [on = "", off = ""] = head.slice(0, -1).split("-");
        flags = { ...flags };
        for (const flag of on) flags[flag as keyof Flags] = true;
        for (const flag of off) flags[flag as keyof Flags] = false;
        if (head.endsWith(")")) return undefined;
      }
    }
    const inside = choice();
    flags = outer;
    if (!accept(")")) reject('is not closed. Write "\\(" for the character', opened);
    return inside;
  }

  /** Parses the inside of [ ], after the opening bracket. Contains all case variants under (?i). */
  function bracket(): CodePoints {
    const opened = at - 1;
    const negated = accept("^");
    const parts = new Set<CodePoints>();
    while (!(source[at] === "]" && (parts.size > 0 || at > opened + (negated ? 2 : 1)))) {
      if (at >= source.length) reject('is not closed. Write "\\[" for the character', opened);
      const from = at;
      const first = posix() ?? member();
      const range = source[at] === "-" && source[at + 1] !== "]" && at + 1 < source.length;
      if (!range) {
        parts.add(first);
        continue;
      }
      at++;
      const last = member();
      const [low, high] = [singlePoint(first), singlePoint(last)];
      if (low === undefined || high === undefined || low > high) reject("is not a range", from);
      parts.add([[low, high]]);
    }
    at++;
    const key = `${flags.i} ${source.slice(opened, at)}`;
    const set = brackets.get(key) ?? unite(parts, negated, opened);
    brackets.set(key, set);
    return set;
  }

  function unite(parts: ReadonlySet<CodePoints>, negated: boolean, from: number): CodePoints {
    for (const part of parts) {
      count(part, from);
      if (flags.i && part.length === 1) addRanges(countCased(part) / CASED_PER_RANGE, from);
    }
    // The case variants of each part, not of the union: those of named classes are cached.
    const set = union([...parts].flatMap((part) => withVariants(part)));
    return count(negated ? complement(set) : set, from);
  }

  /** Counts the ranges of a class, once. */
  function count(set: CodePoints, from: number): CodePoints {
    if (!counted.has(set)) addRanges(set.length, from);
    counted.add(set);
    return set;
  }

  function addRanges(more: number, from: number): void {
    ranges += more;
    if (ranges <= MAX_RANGES) return;
    reject("exceeds the size of all character classes together. Use fewer different classes", from);
  }

  function posix(): CodePoints | undefined {
    if (!source.startsWith("[:", at)) return undefined;
    const named = /^\[:(\^?)([a-z]{1,8}):\]/.exec(source.slice(at, at + 16));
    if (!named) return undefined;
    const set = POSIX[named[2] ?? ""];
    if (!set) reject("is not the name of a character class", at);
    at += named[0].length;
    return named[1] ? allBut(set) : set;
  }

  /** Parses one character, or a class such as \d. */
  function member(): CodePoints {
    const from = at;
    if (!accept("\\")) return point(source.codePointAt(at) ?? 0);
    const letter = source[at] ?? "";
    if (letter === "") reject("ends in the middle of an escape", from);
    const set = CLASSES[letter.toLowerCase()];
    if (set) {
      at++;
      return letter === letter.toLowerCase() ? set : allBut(set);
    }
    if (letter === "p" || letter === "P") return propertyOf(from);
    const coded = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|[xu]\{([\da-fA-F]{1,6})\})/.exec(
      source.slice(at, at + 10),
    );
    if (coded) {
      const value = Number.parseInt(coded[1] ?? coded[2] ?? coded[3] ?? "", 16);
      if (value > LAST_CODE_POINT) reject("is not a Unicode character", from);
      at += coded[0].length;
      return [[value, value]];
    }
    const control = CONTROLS[letter];
    if (control !== undefined) {
      at++;
      return [[control, control]];
    }
    if (/[1-9k]/.test(letter))
      reject("is a back-reference, which cannot be searched in linear time", from);
    if (/[a-zA-Z]/.test(letter)) reject("is not a supported escape", from);
    return point(source.codePointAt(at) ?? 0);
  }

  function point(value: number): CodePoints {
    at += value > 0xffff ? 2 : 1;
    const set = points.get(value) ?? [[value, value]];
    points.set(value, set);
    return set;
  }

  function propertyOf(from: number): CodePoints {
    const named = /^([pP])(?:\{(\^?)([\w=]{1,64})\}|([A-Z]))/.exec(source.slice(at, at + 70));
    const set = named && readUnicodeProperty(named[3] ?? named[4] ?? "");
    if (!set) reject("is not a Unicode property", from);
    at += named[0].length;
    return (named[1] === "P") !== (named[2] === "^") ? allBut(set) : set;
  }

  /** Adds case variants before the complement: under (?i), [^k] must not match K. */
  function allBut(set: CodePoints): CodePoints {
    return complement(withVariants(set));
  }

  function withVariants(set: CodePoints): CodePoints {
    return flags.i ? addCaseVariants(set) : set;
  }

  function accept(character: string): boolean {
    // Not by index, which creates a string for each character beyond Latin-1.
    if (!source.startsWith(character, at)) return false;
    at++;
    return true;
  }

  function reject(why: string, where: number): never {
    throw new Error(`"${source.slice(where, where + 20)}" at ${where} ${why}.`);
  }
}

function singlePoint(set: CodePoints): number | undefined {
  const [only] = set;
  return set.length === 1 && only && only[0] === only[1] ? only[0] : undefined;
}
