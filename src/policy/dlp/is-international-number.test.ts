import { expect, test } from "bun:test";
import { isInternationalNumber } from "./is-international-number.ts";

test.each([
  ["34612345678", true],
  ["34012345678", false],
  ["14155552671", true],
  ["11155552671", false],
  ["442079460958", true],
  ["44207946", false],
  ["390612345678", true],
  ["80012345678", true],
  ["99912345678", false],
  ["1", false],
])("+%s is a valid number: %p", (digits, expected) => {
  expect(isInternationalNumber(digits)).toBe(expected);
});
