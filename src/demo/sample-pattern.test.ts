import { expect, test } from "bun:test";
import { samplePattern } from "./sample-pattern.ts";

test.each([
  "^[A-Z]{2}-\\d{4}$",
  "^(?:foo|bar)+\\.[a-z]+$",
  "^\\w+@\\w+\\.com$",
  "^[^a-z]x?$",
  "^(?<year>\\d{4})-(0[1-9]|1[0-2])$",
  "^#[0-9a-fA-F]{6}$",
  "^[\\w.-]{3,10}$",
  "a|b",
])("generates a match for %s", (pattern) => {
  expect(samplePattern(pattern)).toMatch(new RegExp(pattern));
});

test.each(["(?=x)y", "(a)\\1", "[", "(", "(((((((((((((((((((((((((a)))))))))))))))))))))))))"])(
  "%s is given up",
  (pattern) => {
    expect(samplePattern(pattern)).toBeUndefined();
  },
);

test("counts inside counts stay short", () => {
  expect((samplePattern("((a{9999}){9999}){9999}") ?? "").length).toBeLessThan(300);
});
