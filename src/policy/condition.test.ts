import { expect, test } from "bun:test";
import type { Operator } from "../contract/guard/conditions.ts";
import { compileCondition } from "./condition.ts";

const holds = (fact: unknown, op: Operator, value: string | number) =>
  compileCondition({ field: "model", op, value })(() => fact);

test("neq is false if any item of a list is equal", () => {
  expect(holds(["a", "b"], "neq", "a")).toBe(false);
  expect(holds(["a", "b"], "neq", "c")).toBe(true);
});

test("gt and lt are false for a value that is not a number", () => {
  expect([holds("", "lt", 1), holds(undefined, "lt", 1), holds("x", "gt", 0)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([holds("2", "gt", 1), holds(0, "lt", 1)]).toEqual([true, true]);
});
