import { expect, test } from "bun:test";
import { contains, LAST_CODE_POINT, readUnicodeProperty } from "./code-points.ts";

test.each([
  ["L", "L"],
  ["Greek", "Script=Greek"],
  ["Script=Han", "Script=Han"],
  ["Cs", "Cs"],
  ["Cn", "Cn"],
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
