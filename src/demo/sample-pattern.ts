/** Makes a short text that matches a regular expression: literals, classes, groups, alternatives and counts. */

const MAX_CHARACTERS = 256;
const MAX_DEPTH = 20;
/** What a negated class is filled from. */
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

/** Returns undefined for what it does not read, such as look-ahead and back references. */
export function samplePattern(pattern: string): string | undefined {
  let at = 0;
  let depth = 0;

  try {
    const text = alternatives();
    return at === pattern.length ? text.slice(0, MAX_CHARACTERS) : undefined;
  } catch {
    return undefined;
  }

  /** The first alternative; the others are read over. */
  function alternatives(): string {
    if (++depth > MAX_DEPTH) throw unreadable();
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
      if (text.length > MAX_CHARACTERS) throw unreadable();
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
    if (opening === "" && pattern[at] === "?") throw unreadable();
    at += opening.length;
    const text = alternatives();
    if (pattern[at++] !== ")") throw unreadable();
    return text;
  }

  function escaped(): string {
    const character = pattern[at++];
    if (character === undefined || /[1-9uxpPkcB]/.test(character)) throw unreadable();
    return SHORTHANDS[character] ?? character;
  }

  function characterClass(): string {
    const start = at;
    if (pattern[at] === "^") at++;
    let first: string | undefined;
    while (pattern[at] !== "]" || first === undefined) {
      if (at >= pattern.length) throw unreadable();
      const character = pattern[at++] ?? "";
      const member = character === "\\" ? escaped() : character;
      first ??= member;
    }
    at++;
    if (pattern[start] !== "^") return first;
    // A class of one character: no text can make it slow.
    const negated = new RegExp(`^${pattern.slice(start - 1, at)}$`);
    const found = [...CANDIDATES].find((candidate) => negated.test(candidate));
    if (found === undefined) throw unreadable();
    return found;
  }

  /** The least count. */
  function quantifier(): number {
    const found = /^(?:[*+?]|\{(\d{1,4})(?:,\d{0,4})?\})\??/.exec(pattern.slice(at, at + 16));
    if (!found) return 1;
    at += found[0].length;
    if (found[1] !== undefined) return Number(found[1]);
    return found[0].startsWith("+") ? 1 : 0;
  }
}

const unreadable = () => new Error("The pattern is not one that this reads.");
