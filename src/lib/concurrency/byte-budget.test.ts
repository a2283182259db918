import { expect, test } from "bun:test";
import { createByteBudget } from "./byte-budget.ts";

test("bytes are reserved up to the limit and no further", () => {
  const budget = createByteBudget(10);

  expect(budget.reserve("a", 6)).toBe(true);
  expect(budget.reserve("b", 5)).toBe(false);
  expect(budget.reserve("b", 4)).toBe(true);

  expect(budget.reserved).toBe(10);
  expect(["a", "b"].map(budget.heldBy)).toEqual([6, 4]);
});

test("released bytes can be reserved again", () => {
  const budget = createByteBudget(10);

  budget.reserve("a", 10);
  budget.release("a", 3);

  expect(budget.heldBy("a")).toBe(7);
  expect(budget.reserve("b", 3)).toBe(true);
  expect(budget.reserve("a", 1)).toBe(false);
});
