import { expect, test } from "bun:test";
import { readTool } from "./tool-definition.ts";

const tool = { name: "add", description: "Adds", inputSchema: { type: "object", properties: {} } };

test("the order of members does not make another tool, a word does", () => {
  const turned = {
    inputSchema: { properties: {}, type: "object" },
    description: "Adds",
    name: "add",
  };

  expect(readTool(turned)?.hash).toBe(readTool(tool)?.hash ?? "");
  expect(readTool({ ...tool, description: "Adds and mails" })?.hash).not.toBe(readTool(tool)?.hash);
});

test("what only one server knows is not passed on and not counted", () => {
  const more = { ...tool, _meta: { a: 1 }, icons: [{ src: "javascript:alert(1)" }] };
  const execution = { taskSupport: "optional" };

  expect(readTool({ ...more, execution })).toEqual(readTool(tool));
});

let deep: unknown = {};
for (let level = 0; level < 100_000; level += 1) deep = { deep };

test.each([
  ["no object", 7],
  ["no name", { ...tool, name: "" }],
  ["a name with control characters", { ...tool, name: "a\u0000b" }],
  ["a name with half a character", { ...tool, name: "a\ud800" }],
  ["no schema", { name: "add" }],
  ["a schema that is not an object's", { ...tool, inputSchema: { type: "string" } }],
  ["a schema nested without end", { ...tool, inputSchema: { type: "object", deep } }],
  ["one that must be called as a task", { ...tool, execution: { taskSupport: "required" } }],
  ["a description of a megabyte", { ...tool, description: "x".repeat(1_000_000) }],
])("%s is no tool", (_, told) => {
  expect(readTool(told)).toBeUndefined();
});

test("a schema that refers to itself is passed on as it is", () => {
  const inputSchema = {
    type: "object" as const,
    properties: { children: { type: "array", items: { $ref: "#" } } },
  };

  expect(readTool({ ...tool, inputSchema })?.definition.inputSchema).toEqual(inputSchema);
});
