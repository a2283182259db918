/** Tests that drafts of conditions become the conditions that were stored or typed. */
import { expect, test } from "bun:test";
import type { Condition } from "../../contract/guard/conditions.ts";
import { type ConditionItem, toCondition, toConditionDraft } from "./condition-draft.ts";

const TOOL = { field: "tool.name", op: "eq", value: "pay" } as const;

test.each<[string, Condition | null, string]>([
  ["no condition", null, "always"],
  ["a comparison", TOOL, "all"],
  [
    "several comparisons",
    { any: [TOOL, { field: "direction", op: "neq", value: "output" }] },
    "any",
  ],
  ["a list as value", { field: "tool.name", op: "in", value: ["bash", "sh"] }, "all"],
  ["a list value with a comma", { field: "tool.name", op: "in", value: ["a,b", "c"] }, "all"],
  ["a list value with two lines", { field: "tool.name", op: "in", value: ["a\nb"] }, "json"],
  ["a number", { field: "tool.arguments.n", op: "eq", value: 5 }, "all"],
  ["an empty value", { field: "tool.name", op: "eq", value: "" }, "all"],
  ["a nested condition", { not: { any: [TOOL, { all: [TOOL, { not: TOOL }] }] } }, "none"],
])("a stored condition is saved unchanged: %s", (_, condition, kind) => {
  const when = toConditionDraft(condition);

  expect(when.kind).toBe(kind as typeof when.kind);
  expect(toCondition(when, "when")).toEqual(condition);
});

test("one comparison is saved alone, several are joined by all or any", () => {
  const line = { field: "tool.name", op: "in", value: "bash\n sh, zsh\n" } as const;
  const more = { field: "tool.arguments.amount", op: "gt", value: "10" } as const;

  expect(toCondition({ kind: "any", items: [line] }, "when")).toEqual({
    ...line,
    value: ["bash", "sh, zsh"],
  });
  expect(toCondition({ kind: "any", items: [line, more] }, "when")).toEqual({
    any: [
      { ...line, value: ["bash", "sh, zsh"] },
      { ...more, value: 10 },
    ],
  });
});

test("the values of a comma-separated string become lines", () => {
  const draft = toConditionDraft({ field: "tool.name", op: "in", value: "bash, sh" });

  expect(draft).toMatchObject({ items: [{ value: "bash\nsh" }] });
});

test("a change of one comparison keeps the others, groups and empty values as they were", () => {
  const number = { field: "tool.arguments.n", op: "eq", value: 5 } as const;
  const empty = { field: "tool.name", op: "neq", value: "" } as const;
  const { kind, items } = toConditionDraft({ all: [number, { not: { any: [empty, TOOL] } }] }) as {
    kind: "all";
    items: readonly ConditionItem[];
  };
  const added = { field: "direction", op: "empty", value: "" } as const;

  expect(toCondition({ kind, items: [...items, added] }, "when")).toEqual({
    all: [number, { not: { any: [empty, TOOL] } }, { field: "direction", op: "eq", value: "" }],
  });
});

test("invalid JSON is reported at the path of the condition", () => {
  expect(() => toCondition({ kind: "json", text: "{" }, "gates[0].when")).toThrow(
    /^gates\[0\]\.when: must be valid JSON/,
  );
});

test("a comparison without a value is rejected: it would match whenever the field is missing", () => {
  const items = [
    { field: "direction", op: "eq", value: "input" },
    { field: "tool.name", op: "eq", value: " " },
  ] as const;

  expect(() => toCondition({ kind: "any", items }, "gates[0].when")).toThrow(
    "gates[0].when.any[1].value: must not be empty",
  );
});
