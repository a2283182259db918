import { expect, test } from "bun:test";
import { readYaml } from "./read-yaml.ts";

test("a variable is inserted as text and cannot add structure", () => {
  const env = { A: "x: [1, 2]", B: "" };

  const { value, problems } = readYaml(`one: "\${A}"\ntwo: pre-\${A}-post\nthree: "\${B}"`, env);

  expect(problems).toEqual([]);
  expect(value).toEqual({ one: "x: [1, 2]", two: "pre-x: [1, 2]-post", three: "" });
});

test("a doubled dollar sign is a literal one", () => {
  const { value, unset } = readYaml(`a: $\${A}\nb: $$\${A}\nc: $A $5`, {});

  expect(value).toEqual({ a: `\${A}`, b: `$\${A}`, c: "$A $5" });
  expect(unset).toEqual([]);
});

test("a variable that is not set is reported with its path and line", () => {
  const { unset, locate } = readYaml(`a:\n  - b: 1\n    c: \${NOPE}\n`, {});

  expect(unset).toEqual([{ name: "NOPE", path: ["a", 0, "c"] }]);
  expect(locate(["a", 0, "c"])).toEqual({ line: 3, column: 5 });
});

test.each([
  ["a: 1\nb: [", 2],
  ["a: 1\nb: 2\na: 3", 3],
  ["a: 1\nb: *nowhere", 2],
  [`a: 1\nb: \${not a name}`, 2],
  ["a: 1\nb: ${UNCLOSED", 2],
  ["a: 1\n---\nb: 2", 2],
  ["a: 1\nb: !!weird x", 2],
  ["a: 1\n[1, 2]: x", 2],
  ["a: 1\n\tb: 2", 2],
])("%p is rejected with its line", (text, line) => {
  const { problems, value } = readYaml(text, {});

  expect(problems[0]?.location.line).toBe(line);
  expect(value).toBeUndefined();
});

test("the expansion of aliases is limited", () => {
  const levels = Array.from(
    { length: 12 },
    (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(10)}]`,
  );
  const { problems } = readYaml(["l0: &l0 ha", ...levels].join("\n"), {});

  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toContain("200000 values");
});

test("an alias to its own parent is rejected", () => {
  expect(readYaml("a: &a [*a]", {}).problems).toHaveLength(1);
});

test("an alias has the value of its anchor, located at the anchor", () => {
  const { value, locate } = readYaml("a: &x {b: 1}\nc: *x", {});

  expect(value).toEqual({ a: { b: 1 }, c: { b: 1 } });
  expect(locate(["c", "b"])).toEqual({ line: 1, column: 8 });
});

test("a missing member is located at its parent", () => {
  const { locate } = readYaml("a:\n  - b: 1\n", {});

  expect(locate(["a", 0, "missing", "deep"])).toEqual({ line: 2, column: 5 });
  expect(locate(["a", 7])).toEqual({ line: 1, column: 1 });
});

test("a member named __proto__ is a member", () => {
  const { value } = readYaml("__proto__: {polluted: true}", {});

  expect(Object.keys(value as object)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test.each([
  "!hunter2",
  "*hunter2",
  "|hunter2",
  "}hunter2",
  "[x]] hunter2",
  "@hunter2",
  '"x" hunter2',
])("a password without quotes, %p, is not repeated in the message", (written) => {
  const { problems } = readYaml(`password: ${written}`, {});

  expect(problems).not.toEqual([]);
  expect(JSON.stringify(problems)).not.toContain("hunter2");
});
