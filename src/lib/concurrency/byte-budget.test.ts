import { expect, test } from "bun:test";
import { createByteBudget, createSharedByteBudget } from "./byte-budget.ts";

test("bytes are taken up to the limit and no further", () => {
  const budget = createByteBudget(10);

  expect(budget.take(6)).toBe(true);
  expect(budget.take(5)).toBe(false);
  expect(budget.take(4)).toBe(true);

  expect(budget.taken).toBe(10);
});

test("what is given back can be taken again", () => {
  const budget = createByteBudget(10);

  budget.take(10);
  budget.give(3);

  expect(budget.take(3)).toBe(true);
  expect(budget.take(1)).toBe(false);
});

test("a holder takes no more than its part, and leaves the rest to others", () => {
  const budget = createSharedByteBudget(10, 6);

  expect(budget.take("a", 6)).toBe(true);
  expect(budget.take("a", 1)).toBe(false);
  expect(budget.take("b", 5)).toBe(false);
  expect(budget.take("b", 4)).toBe(true);
  budget.give("a", 6);

  expect(budget.take("a", 6)).toBe(true);
});
