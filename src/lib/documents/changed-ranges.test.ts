import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { findChangedRanges } from "./changed-ranges.ts";

const find = (text: string) => {
  const piece = { text: text.replace(/\s+/g, " "), from: 0, to: text.length };
  return findChangedRanges(text, piece, false).map(({ from, to }) => text.slice(from, to));
};

test("the words around a number that white space parts are kept, up to a space that parts no other value", () => {
  const words = "some words ".repeat(20);
  const other = "GB29 NWBK 6016 1331 9268 19";

  const kept = find(`${words}${other} ${words}4111 1111\n1111 1111 ${words}${other} ${words}`);
  const beside = find(`${other} ${words}${other} x 4111 1111\n1111 1111 y ${other} ${words}`);

  expect(kept).toHaveLength(1);
  expect(kept[0]).toMatch(/^ ?(some|words) .* 4111 1111\n1111 1111 .*(some|words)$/);
  expect(kept[0]).not.toContain("GB29");
  expect(beside[0]?.split(other)).toHaveLength(3);
});

test.each([
  "4111 1111\n1111 1111 now ",
  "1  ",
  "1A ",
  "1 a\n",
  `4111${" ".repeat(500)}`,
  "1234567  8a ",
  " ",
  " A",
  "۴۱۱۱  ",
  "4\u200b \u0301",
])("%j repeated is read in linear time", async (piece) => {
  const make = (length: number) => `1${piece.repeat(length / piece.length)}`;

  await expectLinear(async (text) => find(text), make);
});
