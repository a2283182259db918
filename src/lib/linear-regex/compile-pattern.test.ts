import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { peakMemory } from "../../../test/kit/peak-memory.ts";
import { compilePattern } from "./compile-pattern.ts";

const found = (source: string, text: string, ignore_case = false) =>
  compilePattern(source, { ignore_case })
    .findMatches(text)
    .map(({ start, end }) => text.slice(start, end));

test.each([
  ["the preferred branch wins, not the longest", "a|ab", "ab", ["a"]],
  ["a repetition takes all it can", "a+b?", "aaab aa", ["aaab", "aa"]],
  ["a lazy repetition takes as little as it can", "<.+?>", "<a><b>", ["<a>", "<b>"]],
  ["counts are bounds", "a{2,3}", "aaaaaaa", ["aaa", "aaa"]],
  ["empty matches are omitted", "a*", "baab", ["aa"]],
  ["a loop without progress ends", "(?:a*)*b", "aab", ["aab"]],
  ["word boundaries", "\\bcat\\b", "cat concat cat.", ["cat", "cat"]],
  ["no word boundary", "\\Bcat", "cat concat", ["cat"]],
  ["start and end of the text", "^a|a$", "aaa", ["a", "a"]],
  ["start and end of lines", "(?m)^a$", "a\nb\na", ["a", "a"]],
  ["a dot stops at the end of the line", ".+", "a\nb", ["a", "b"]],
  ["a dot with the s flag does not", "(?s).+", "a\nb", ["a\nb"]],
  ["classes and ranges", "[^\\d\\s-][a-c\\]]", "1a xb y] -c", ["xb", "y]"]],
  ["classes by name", "[[:upper:]][[:^digit:]]", "Ab A1", ["Ab"]],
  ["Unicode properties", "\\p{Greek}+", "abc αβγ", ["αβγ"]],
  ["characters outside the first plane count as one", "^.😀[^x]$", "😂😀😎", ["😂😀😎"]],
  ["escapes of all kinds", "\\x41\\u0042\\u{43}\\x{44}\\t\\.", "ABCD\t.", ["ABCD\t."]],
  ["a no-break space is white space", "a\\sb", "a\u00a0b", ["a\u00a0b"]],
  ["braces without a count are characters", "a{x}", "a{x}", ["a{x}"]],
  ["groups with names and flags", "(?<n>a)(?i:b)(?P<m>c)", "aBc aBC", ["aBc"]],
])("%s", (_, source, text, expected) => {
  expect(found(source, text)).toEqual(expected);
});

test("ignoring case includes every variant of a letter, also in negated classes", () => {
  expect(found("straSSe k", "STRASſE \u212a", true)).toEqual(["STRASſE \u212a"]);
  expect(found("[^k]", "Kk\u212a", true)).toEqual([]);
  expect(found("\\W|[[:^word:]]|\\P{Latin}", "Kks1", true)).toEqual(["1"]);
});

test("offsets are in UTF-16 units", () => {
  expect(compilePattern("é+|😀").findMatches("a😀éé")).toEqual([
    { start: 1, end: 3 },
    { start: 3, end: 5 },
  ]);
});

test("a match may be longer than a block", () => {
  const text = `x${"😀".repeat(9000)}y${"a".repeat(900)}b`;

  expect(compilePattern("x.*y|a{900}b?").findMatches(text)).toEqual([
    { start: 0, end: 18_002 },
    { start: 18_002, end: 18_903 },
  ]);
});

test("test() finds a match without searching for all", () => {
  expect(compilePattern("^$").test("")).toBe(true);
  expect(compilePattern("b").test("abc")).toBe(true);
  expect(compilePattern("b$").test("abc")).toBe(false);
});

test.each([
  ["", "empty"],
  ["a".repeat(2001), "2000 are allowed"],
  ["(a", '"(a" at 0 is not closed'],
  ["a)", "has no opening parenthesis"],
  ["[a", "not closed"],
  ["[z-a]", "not a range"],
  ["*a", "has nothing to repeat"],
  ["a**", "repeats a repetition"],
  ["a{2}{3}", "repeats a repetition"],
  ["a{1,100000}", "repeats more than"],
  ["^*", "repeats an assertion"],
  ["a{2,1}", "minimum above its maximum"],
  ["a{1001}", "more than 1000 times"],
  ["((a{100}){100}){100}", "too large"],
  ["a(?=b)", '"(?=b)" at 1 is a look-around'],
  ["(?<!a)b", "is a look-around"],
  ["(a)\\1", '"\\1" at 3 is a back-reference'],
  ["(?>a)", "unsupported"],
  ["\\q", "not a supported escape"],
  ["\\p{Klingon}", "not a Unicode property"],
  ["a\\", "in the middle of an escape"],
  [
    [..."abcdefghijklmno"].map((letter) => `[\\PL${letter}]`).join(""),
    "exceeds the size of all character classes",
  ],
  [`(?i)${listRanges(40)}`, "exceeds the size of all character classes"],
])("an invalid pattern is rejected with the reason: %p", (source, why) => {
  expect(() => compilePattern(source)).toThrow(why);
});

/** Returns different classes that contain nearly all letters. */
function listRanges(count: number): string {
  return Array.from({ length: count }, (_, index) => `[${index % 10}-\u{10ffff}${index}]`).join("");
}

test.each([
  "[\\p{L}\\p{N}._%+-]+@[\\p{L}\\p{N}.-]+\\.[\\p{L}]{2,}",
  "(?:^|[^\\p{L}\\p{N}_])(?:name|address)[^\\p{L}\\p{N}\\s]*[\\p{L}\\p{M}' -]{2,}[\\p{L}.]+\\s[\\p{L}-]+",
])("a pattern may have several large classes in both cases: %s", (source) => {
  expect(found(`zz${source}|A@É.ÉÉ`, "xa@é.éé", true)).toEqual(["a@é.éé"]);
});

test("a pattern may repeat a large class", () => {
  const { test: matches } = compilePattern(`(?i)^${"[\\p{L}\\d]\\P{N}".repeat(120)}$`);

  expect(matches("Éa".repeat(120))).toBe(true);
  expect(matches("É1".repeat(120))).toBe(false);
});

/** Patterns and texts that take exponential or quadratic time in other engines, also when all matches are found. */
export const HOSTILE: readonly [source: string, unit: string][] = [
  ["(a+)+$", "a"],
  ["(a|a)*b", "a"],
  ["(.*a){20}", "a"],
  ["(x+x+)+y", "x"],
  ["(?:a?){50}a{50}", "a"],
  ["a.*b|a", "a"],
  ["\\w+@|\\w", "a"],
  ["(.*a){20}b|a", "ac"],
  ["(a|b){20}a(a|b)*", "abbabaab"],
];

test.each(HOSTILE)("%p takes linear time", async (source, unit) => {
  const { findMatches } = compilePattern(source);

  await expectLinear(findMatches, (length) => `${unit.repeat(length / unit.length)}!`);
});

test("texts with ever new states do not exhaust memory", async () => {
  const peak = await peakMemory(`
    import { compilePattern } from "./src/lib/linear-regex/compile-pattern.ts";
    import { seeded } from "./test/kit/random.ts";
    const { pick } = seeded(5);
    const pattern = compilePattern("[ab]{40}a");
    const random = () => Array.from({ length: 4000 }, () => pick(["a", "b"])).join("");
    for (let round = 0; round < 200; round++) if (!pattern.test(random())) process.exit(1);
  `);

  expect(peak).toBeLessThan(200);
});
