import { expect, test } from "bun:test";
import type { InspectionContext, Match } from "../detector.ts";
import { toolSelection } from "./tool-selection.ts";

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const DEFINED = [{ name: "weather", pointer: "/tools/0", schema: SCHEMA }];

function found(name: string, args: unknown, definitions = DEFINED, settings: object = {}) {
  const inspect = toolSelection.prepare(settings);
  const calls = [{ name, pointer: "/calls/0", arguments: args }];
  return inspect([], { calls, definitions } as unknown as InspectionContext) as Match[];
}

test.each([
  ["weather", { city: "Bern" }, []],
  ["wether", { city: "Bern" }, [{ label: "unknown_tool", detail: { pointer: "/calls/0" } }]],
  ["weather", undefined, [{ label: "arguments_not_json" }]],
  [
    "weather",
    {},
    [{ label: "invalid_arguments", detail: { keyword: "required", argument: "/city" } }],
  ],
  ["weather", { city: 1 }, [{ detail: { keyword: "type", argument: "/city", tool: "weather" } }]],
  [
    "weather",
    { city: "Bern", x: 1 },
    [{ detail: { keyword: "additionalProperties", argument: "" } }],
  ],
])("a call of %s with %j: %j", (name, args, expected) => {
  expect(found(name, args)).toMatchObject(expected);
  expect(found(name, args)).toHaveLength(expected.length);
});

test("without known tools, names are not checked but arguments must be JSON", () => {
  expect(found("anything", {}, [])).toEqual([]);
  expect(found("anything", undefined, [])).toMatchObject([{ label: "arguments_not_json" }]);
});

test("known_tools are added to the definitions of the payload", () => {
  const settings = { known_tools: [{ name: "clock", parameters: { required: ["zone"] } }] };

  expect(found("clock", { zone: "UTC" }, DEFINED, settings)).toEqual([]);
  expect(found("clock", {}, DEFINED, settings)).toMatchObject([{ type: "tool_misuse" }]);
  expect(found("clok", {}, [], settings)).toMatchObject([{ label: "unknown_tool" }]);
});

test("each check can be disabled", () => {
  expect(found("wether", {}, DEFINED, { check_names: false })).toEqual([]);
  expect(found("weather", {}, DEFINED, { check_arguments: false })).toEqual([]);
});

test("a match never contains the value of an argument", () => {
  const secret = "hunter2";
  const matches = [
    ...found("weather", { city: [secret] }),
    ...found("weather", { city: "Bern", [secret]: 1 }),
    ...found(secret, {}),
  ];

  expect(matches).toHaveLength(3);
  expect(JSON.stringify(matches)).not.toContain(secret);
});
