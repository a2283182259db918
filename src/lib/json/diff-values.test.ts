import { expect, test } from "bun:test";
import { diffMembers } from "./diff-values.ts";

test("nested members are named by their path, arrays are compared as a whole", () => {
  const before = { a: { b: 1, c: 2 }, list: [1, 2] };
  const after = { a: { b: 1, c: 3 }, list: [2, 1] };

  expect(diffMembers(before, after)).toEqual([
    { name: "a.c", before: 2, after: 3 },
    { name: "list", before: [1, 2], after: [2, 1] },
  ]);
});

test("null and an empty object count as missing, an empty array does not", () => {
  expect(diffMembers({ a: null, b: {} }, {})).toEqual([]);
  expect(diffMembers({ a: null }, { a: [] })).toEqual([
    { name: "a", before: undefined, after: [] },
  ]);
});

test("the order of members does not matter", () => {
  expect(diffMembers({ a: [{ x: 1, y: 2 }] }, { a: [{ y: 2, x: 1 }] })).toEqual([]);
});
