/** Generates a short string that matches a regular expression: literals, classes, groups, alternatives and counts. */

const MAX_CHARACTERS = 256;
const MAX_DEPTH = 20;
/** Candidates for a negated class. */
const CANDIDATES = "a0-_ A.";

const SHORTHANDS: Record<string, string> = {
  d: "0",
  w: "a",
  s: " ",
  D: "a",
  W: "-",
  S: "a",
  b: "",
  n: "\n",
  t: "\t",
};

/** Returns undefined for unsupported syntax, such as look-ahead and back-references. */
export function samplePattern(pattern: string): string | undefined {
  let at = 0;
  let depth = 0;

  try {
    const text = alternatives();
    return at === pattern.length ? text.slice(0, MAX_CHARACTERS) : undefined;
  } catch {
    return undefined;
  }

  /** Uses the first alternative and skips the others. */
  function alternatives(): string {
    if (++depth > MAX_DEPTH) throw unsupported();
    const first = sequence();
    while (pattern[at] === "|") {
      at++;
      sequence();
    }
    depth--;
    return first;
  }

  function sequence(): string {
    let text = "";
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") {
      const part = atom();
      const count = quantifier();
      text += part.repeat(Math.min(count, MAX_CHARACTERS)).slice(0, MAX_CHARACTERS);
      if (text.length > MAX_CHARACTERS) throw unsupported();
    }
    return text;
  }

  function atom(): string {
    const character = pattern[at++] ?? "";
    if (character === "^" || character === "$") return "";
    if (character === ".") return "a";
    if (character === "\\") return escaped();
    if (character === "[") return characterClass();
    if (character !== "(") return character;
    const opening = /^\?(?::|<\w+>)/.exec(pattern.slice(at))?.[0] ?? "";
    if (opening === "" && pattern[at] === "?") throw unsupported();
    at += opening.length;
    const text = alternatives();
    if (pattern[at++] !== ")") throw unsupported();
    return text;
  }

  function escaped(): string {
    const character = pattern[at++];
    if (character === undefined || /[1-9uxpPkcB]/.test(character)) throw unsupported();
    return SHORTHANDS[character] ?? character;
  }

  function characterClass(): string {
    const start = at;
    if (pattern[at] === "^") at++;
    let first: string | undefined;
    while (pattern[at] !== "]" || first === undefined) {
      if (at >= pattern.length) throw unsupported();
      const character = pattern[at++] ?? "";
      const member = character === "\\" ? escaped() : character;
      first ??= member;
    }
    at++;
    if (pattern[start] !== "^") return first;
    // A single character class cannot backtrack.
    const negated = new RegExp(`^${pattern.slice(start - 1, at)}$`);
    const found = [...CANDIDATES].find((candidate) => negated.test(candidate));
    if (found === undefined) throw unsupported();
    return found;
  }

  /** Returns the minimum count. */
  function quantifier(): number {
    const found = /^(?:[*+?]|\{(\d{1,4})(?:,\d{0,4})?\})\??/.exec(pattern.slice(at, at + 16));
    if (!found) return 1;
    at += found[0].length;
    if (found[1] !== undefined) return Number(found[1]);
    return found[0].startsWith("+") ? 1 : 0;
  }
}

const unsupported = () => new Error("Unsupported pattern.");
