import { expect, test } from "bun:test";
import type { InspectionContext, Match } from "../detector.ts";
import { toolPermission } from "./tool-permission.ts";

const tool = (name: string) => ({ name, pointer: `/${name}`, arguments: {}, schema: {} });

/** Returns the matched tools with their labels. */
function found(settings: object, calls: string[], definitions: string[] = []) {
  const inspect = toolPermission.prepare(settings);
  const context = { calls: calls.map(tool), definitions: definitions.map(tool) };
  const matches = inspect([], context as unknown as InspectionContext) as Match[];
  return matches.map(({ label, detail }) => `${detail?.tool} ${label}`);
}

test.each<[object, string[], string[]]>([
  [{}, ["anything"], []],
  [{ denied_tools: ["delete_*"] }, ["delete_user", "read"], ["delete_user denied"]],
  [{ denied_tools: ["delete_*"] }, ["Delete_User"], ["Delete_User denied"]],
  [{ denied_tools: ["rm"] }, ["rmdir"], []],
  [{ denied_tools: ["rm*"] }, ["rm*"], ["rm* denied"]],
  [{ allowed_tools: ["read_*"] }, ["read_file", "write"], ["write not_allowed"]],
  [{ allowed_tools: ["read"] }, ["READ", ""], ["READ not_allowed", " not_allowed"]],
  [{ allowed_tools: ["*"], denied_tools: ["shell"] }, ["shell", "read"], ["shell denied"]],
])("%j and calls of %j: %j", (settings, calls, expected) => {
  expect(found(settings, calls)).toEqual(expected);
});

test("offered tools are checked only if definitions is true", () => {
  const denied_tools = ["shell"];

  expect(found({ denied_tools }, [], ["shell"])).toEqual([]);
  expect(found({ denied_tools, definitions: true }, ["shell"], ["shell"])).toHaveLength(2);
});

test("a match has the location of the tool and its truncated name", () => {
  const inspect = toolPermission.prepare({ denied_tools: ["x*"] });
  const calls = [{ name: "x".repeat(5000), pointer: "/params", arguments: {} }];

  const [match] = inspect([], {
    calls,
    definitions: [],
  } as unknown as InspectionContext) as Match[];

  expect(match).toEqual({
    label: "denied",
    type: "tool_denied",
    confidence: 1,
    detail: { tool: "x".repeat(100), pointer: "/params" },
  });
});
