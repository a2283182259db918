import { expect, test } from "bun:test";
import { createByteBudget } from "./byte-budget.ts";

test("bytes fit up to the limit and no further", () => {
  const budget = createByteBudget(10);

  budget.reserve("a", 6);
  expect([5, 4].map(budget.fits)).toEqual([false, true]);
  budget.reserve("b", 4);

  expect(budget.fits(1)).toBe(false);
  expect(budget.reserved).toBe(10);
  expect(["a", "b"].map(budget.heldBy)).toEqual([6, 4]);
});

test("released bytes can be reserved again", () => {
  const budget = createByteBudget(10);

  budget.reserve("a", 10);
  budget.release("a", 3);

  expect(budget.heldBy("a")).toBe(7);
  expect([3, 4].map(budget.fits)).toEqual([true, false]);
});
