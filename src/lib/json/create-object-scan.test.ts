import { expect, test } from "bun:test";
import { createObjectScan } from "./create-object-scan.ts";

test.each([
  ["{}", true],
  ['{"a": {"b": [{}]}}', true],
  ['{"a": "}"}', true],
  [String.raw`{"a": "\"}\\"}`, true],
  ["", false],
  ['{"a": "}"', false],
  [String.raw`{"a": "\"}`, false],
  ['{"a": {"b": 1}', false],
])("%s", (text, isOver) => {
  const [whole, split] = [createObjectScan(), createObjectScan()];

  expect(whole(text)).toBe(isOver);
  expect([...text].map((character) => split(character)).at(-1) ?? false).toBe(isOver);
});
