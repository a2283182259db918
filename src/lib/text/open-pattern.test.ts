/** Tests that an open pattern matches exactly the beginnings of matches. */
import { expect, test } from "bun:test";
import { createOpenTest } from "./open-pattern.ts";

const isOpen = (pattern: RegExp, text: string, at = 0): boolean =>
  createOpenTest(pattern)(text, at);

test("every beginning of a match is open, and other text is not", () => {
  const card = /\d{4}([ -])\d{4}\1\d{4}/;
  for (let length = 0; length <= 14; length++) {
    expect(isOpen(card, "1234-5678-9012".slice(0, length))).toBe(true);
  }
  expect(isOpen(card, "1234-5678 9")).toBe(false);
  expect(isOpen(card, "1234 apples")).toBe(false);
  expect(isOpen(card, "1234-5678-9012 ")).toBe(false);
});

test("a match is open while a negative look-ahead is undecided", () => {
  const group = /\d{4}(?! \d{4})/;
  expect(isOpen(group, "1234")).toBe(true);
  expect(isOpen(group, "1234 ")).toBe(true);
  expect(isOpen(group, "1234 56")).toBe(true);
  expect(isOpen(group, "1234 a")).toBe(false);
});

test("a match is open while a positive look-ahead is undecided", () => {
  expect(isOpen(/a(?=bc)/, "ab")).toBe(true);
  expect(isOpen(/a(?=bc)b/, "ax")).toBe(false);
});

test("alternatives, classes, escapes and lazy repetition are converted", () => {
  const line = /key: (?:[^\n\]]{1,8}\n){1,3}?end|\u{1f600}\p{L}+|\x41\u0042\b/u;
  for (const text of ["k", "key: ab", "key: ab\ncd\ne", "\u{1f600}", "\u{1f600}é", "A", "AB"]) {
    expect(isOpen(line, text)).toBe(true);
  }
  for (const text of ["kex", "key: abcdefghijkl", "A ", "AB "]) {
    expect(isOpen(line, text)).toBe(false);
  }
});

test("for random texts, a prefix of a match is always open", () => {
  const patterns = [
    /(?:a|bc){2,4}d?(?!e)/,
    /x[ab]{0,3}(?:-[ab]+)*y/,
    /(?<!q)(a)(b?)\1\2c/,
    /(?:ab?|c)+(?=d)d/,
  ];
  let seed = 7;
  const random = (limit: number) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed % limit;
  };
  let matches = 0;
  for (let round = 0; round < 4000; round++) {
    const text = Array.from({ length: 12 }, () => "abcdexy-"[random(8)]).join("");
    for (const pattern of patterns) {
      const found = pattern.exec(text);
      if (!found) continue;
      matches++;
      for (let length = 0; length < found[0].length; length++) {
        const prefix = text.slice(0, found.index + length);
        expect(isOpen(pattern, prefix, found.index)).toBe(true);
      }
    }
  }
  expect(matches).toBeGreaterThan(1000);
});
