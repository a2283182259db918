/** Is a condition saved as it was read, and as it was typed? */
import { expect, test } from "bun:test";
import type { Condition } from "../../contract/conditions.ts";
import { toCondition, toConditionDraft } from "./condition-draft.ts";

const TOOL = { field: "tool.name", op: "eq", value: "pay" } as const;

test.each<[string, Condition | null, string]>([
  ["none", null, "always"],
  ["a comparison", TOOL, "all"],
  ["a list of them", { any: [TOOL, { field: "direction", op: "neq", value: "output" }] }, "any"],
  ["a list as value", { field: "tool.name", op: "in", value: ["bash", "sh"] }, "all"],
  ["a list with a comma inside", { field: "tool.name", op: "in", value: ["a,b"] }, "json"],
  ["a number as text would be another", { field: "tool.arguments.n", op: "eq", value: 5 }, "all"],
  ["one with nothing", { field: "tool.name", op: "eq", value: "" }, "json"],
  ["a deeper one", { all: [{ not: TOOL }] }, "json"],
])("%s comes back as it was", (_, condition, how) => {
  const when = toConditionDraft(condition);

  expect(when.how).toBe(how as typeof when.how);
  expect(toCondition(when, "when")).toEqual(condition);
});

test("typed lines become a comparison, or a list joined by all or any", () => {
  const line = { field: "tool.name", op: "in", value: "bash, sh," } as const;
  const more = { field: "tool.arguments.amount", op: "gt", value: "10" } as const;

  expect(toCondition({ how: "any", lines: [line] }, "when")).toEqual({
    ...line,
    value: ["bash", "sh"],
  });
  expect(toCondition({ how: "any", lines: [line, more] }, "when")).toEqual({
    any: [
      { ...line, value: ["bash", "sh"] },
      { ...more, value: 10 },
    ],
  });
});

test("text that is not JSON is refused where the server would", () => {
  expect(() => toCondition({ how: "json", text: "{" }, "gates[0].when")).toThrow(
    /^gates\[0\]\.when: is not JSON/,
  );
});

test("a line without a value is refused: it would hold wherever there is no tool", () => {
  const lines = [
    { field: "direction", op: "eq", value: "input" },
    { field: "tool.name", op: "eq", value: " " },
  ] as const;

  expect(() => toCondition({ how: "any", lines }, "gates[0].when")).toThrow(
    "gates[0].when.any[1].value: must not be empty",
  );
});
