/** Tests that drafts of conditions become the conditions that were stored or typed. */
import { expect, test } from "bun:test";
import type { Condition } from "../../contract/guard/conditions.ts";
import {
  type ConditionGroup,
  type ConditionItem,
  numberComparisons,
  toCondition,
  toConditionDraft,
} from "./condition-draft.ts";
import { readCondition } from "./read-condition.ts";

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
  ["a list value with two lines", { field: "tool.name", op: "in", value: ["a\nb"] }, "all"],
  ["a value with two lines", { field: "tool.command", op: "eq", value: "a\nb" }, "all"],
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

test("a value with line breaks is edited as JSON, and the other comparisons keep their fields", () => {
  const { items } = toConditionDraft({
    any: [TOOL, { field: "tool.name", op: "in", value: ["a\nb"] }],
  }) as ConditionGroup;

  expect(items).toMatchObject([{ value: "pay" }, { value: '["a\\nb"]', isJson: true }]);
  const changed = { field: "tool.name", op: "in", value: '["a\\nc"]', isJson: true } as const;
  expect(toCondition({ kind: "all", items: [changed] }, "when")).toMatchObject({ value: ["a\nc"] });
  expect(() => toCondition({ kind: "all", items: [{ ...changed, value: "[" }] }, "when")).toThrow(
    /^when\.value: must be valid JSON/,
  );
});

test("an error is shown with the position of its comparison, also in groups of one", () => {
  const one = (value: string): ConditionItem => ({ field: "tool.name", op: "eq", value });
  const group: ConditionGroup = {
    kind: "all",
    items: [one("a"), { kind: "none", items: [{ kind: "any", items: [one("b"), one("c")] }] }],
  };

  expect(numberComparisons(group, "all[1].not.any[1].value: must not be empty")).toBe(
    "Comparison 2.1.2: value: must not be empty",
  );
  expect(numberComparisons({ kind: "all", items: [one("")] }, "value: must not be empty")).toBe(
    "Comparison 1: value: must not be empty",
  );
});

test("groups are nested to the limit of the contract, and a deeper one is rejected", () => {
  const nest = (levels: number): ConditionGroup => ({
    kind: levels % 2 ? "any" : "all",
    items: [
      { field: "tool.name", op: "eq", value: "a" },
      levels > 1 ? nest(levels - 1) : { field: "tool.name", op: "eq", value: "b" },
    ],
  });

  expect(toCondition(nest(4), "when")).toMatchObject({
    all: [{}, { any: [{}, { all: [{}, {}] }] }],
  });
  expect(() => toCondition(nest(5), "when")).toThrow("when: groups may be nested 4 levels deep");
});

test.each([
  [{ all: [TOOL, { not: { any: [TOOL] } }] }, true],
  [{ all: [] }, false],
  [{ any: [{ ...TOOL, op: "like" }] }, false],
  [{ not: { ...TOOL, note: "x" } }, false],
  [{ ...TOOL, value: [["a"]] }, false],
  ["x", false],
])("fields show JSON only if it is a condition: %j", (value, isCondition) => {
  expect(readCondition(value) !== undefined).toBe(isCondition);
});
