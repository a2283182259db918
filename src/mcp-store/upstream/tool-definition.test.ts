import { expect, test } from "bun:test";
import { readTool } from "./tool-definition.ts";

const tool = { name: "add", description: "Adds", inputSchema: { type: "object", properties: {} } };

test("the hash ignores the order of members and changes with the text", () => {
  const reordered = {
    inputSchema: { properties: {}, type: "object" },
    description: "Adds",
    name: "add",
  };

  expect(readTool(reordered)?.hash).toBe(readTool(tool)?.hash ?? "");
  expect(readTool({ ...tool, description: "Adds and mails" })?.hash).not.toBe(readTool(tool)?.hash);
});

test("members outside the definition are not passed on and do not change the hash", () => {
  const more = { ...tool, _meta: { a: 1 }, icons: [{ src: "javascript:alert(1)" }] };
  const execution = { taskSupport: "optional" };

  expect(readTool({ ...more, execution })).toEqual(readTool(tool));
});

let deep: unknown = {};
for (let level = 0; level < 100_000; level += 1) deep = { deep };

test.each([
  ["not an object", 7],
  ["no name", { ...tool, name: "" }],
  ["a name with control characters", { ...tool, name: "a\u0000b" }],
  ["a name with a lone surrogate", { ...tool, name: "a\ud800" }],
  ["no schema", { name: "add" }],
  ["a schema of another type than object", { ...tool, inputSchema: { type: "string" } }],
  ["a schema nested too deeply", { ...tool, inputSchema: { type: "object", deep } }],
  ["callable only as a task", { ...tool, execution: { taskSupport: "required" } }],
  ["a description of 1 MB", { ...tool, description: "x".repeat(1_000_000) }],
])("a tool is rejected: %s", (_, definition) => {
  expect(readTool(definition)).toBeUndefined();
});

test("a recursive schema is passed on unchanged", () => {
  const inputSchema = {
    type: "object" as const,
    properties: { children: { type: "array", items: { $ref: "#" } } },
  };

  expect(readTool({ ...tool, inputSchema })?.definition.inputSchema).toEqual(inputSchema);
});
