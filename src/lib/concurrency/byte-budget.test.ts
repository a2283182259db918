import { expect, test } from "bun:test";
import { createByteBudget, createSharedByteBudget } from "./byte-budget.ts";

test("bytes are reserved up to the limit and no further", () => {
  const budget = createByteBudget(10);

  expect(budget.reserve(6)).toBe(true);
  expect(budget.reserve(5)).toBe(false);
  expect(budget.reserve(4)).toBe(true);

  expect(budget.reserved).toBe(10);
});

test("released bytes can be reserved again", () => {
  const budget = createByteBudget(10);

  budget.reserve(10);
  budget.release(3);

  expect(budget.reserve(3)).toBe(true);
  expect(budget.reserve(1)).toBe(false);
});

test("a holder cannot exceed its own cap, and other holders can use the rest", () => {
  const budget = createSharedByteBudget(10, 6);

  expect(budget.reserve("a", 6)).toBe(true);
  expect(budget.reserve("a", 1)).toBe(false);
  expect(budget.reserve("b", 5)).toBe(false);
  expect(budget.reserve("b", 4)).toBe(true);
  budget.release("a", 6);

  expect(budget.reserve("a", 6)).toBe(true);
});
