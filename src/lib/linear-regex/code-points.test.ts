import { expect, test } from "bun:test";
import { unicodeProperties } from "../../../test/kit/unicode-properties.ts";
import {
  addCaseVariants,
  complement,
  contains,
  LAST_CODE_POINT,
  readUnicodeProperty,
  union,
} from "./code-points.ts";

test.each([
  ["L", "L"],
  ["Greek", "Script=Greek"],
  ["Script=Han", "Script=Han"],
  ["Cs", "Cs"],
  ["Cn", "Cn"],
  ["Emoji", "Emoji"],
  ["ID_Continue", "ID_Continue"],
  ["scx=Latn", "Script_Extensions=Latin"],
])("the property %s has the code points that %s has in JavaScript", (name, property) => {
  const member = new RegExp(`^\\p{${property}}$`, "u");
  const set = readUnicodeProperty(name) ?? [];

  const different: number[] = [];
  for (let point = 0; point <= LAST_CODE_POINT; point++) {
    if (contains(set, point) !== member.test(String.fromCodePoint(point))) different.push(point);
  }

  expect(different).toEqual([]);
});

test("an unknown property has no set", () => {
  expect(readUnicodeProperty("Nothing")).toBeUndefined();
});

test.each([
  [
    "a few letters",
    union([
      [0x4b, 0x4d],
      [0xe9, 0xe9],
    ]),
  ],
  ["a block of letters", [[0x100, 0x1000]] as const],
  ["all but one letter", complement([[0x212a, 0x212a]])],
])("the case variants of %s are those of each of its letters", (_, set) => {
  const variants = addCaseVariants(set);

  const expected = set.flatMap(([from, to]) =>
    Array.from({ length: Math.min(to, 0xffff) - from + 1 }, (_, index) => from + index).flatMap(
      (point) => addCaseVariants([[point, point]]),
    ),
  );

  expect(variants).toEqual(union([...set, ...expected]));
});

test("K, k and the Kelvin sign are variants of each other", () => {
  const same = [
    [0x4b, 0x4b],
    [0x6b, 0x6b],
    [0x212a, 0x212a],
  ] as const;

  for (const [point] of same) expect(addCaseVariants([[point, point]])).toEqual(same);
});

test("all properties of Unicode are read in a second", () => {
  const names = unicodeProperties();

  const start = performance.now();
  const unknown = names.filter((name) => !readUnicodeProperty(name));

  expect(unknown).toEqual([]);
  expect(performance.now() - start).toBeLessThan(1500);
});
