import { expect, test } from "bun:test";
import type { StoredText } from "../../contract/guard/activity.ts";
import { nameArguments } from "./name-arguments.ts";

const at = (pointer: string, inner: string | null = null): StoredText => ({
  ...{ pointer, inner, source: "tool_arguments", role: null, text: "x" },
});

test("an argument has the name of its path in the call", () => {
  const values = [
    at("/params/arguments/to/name"),
    at("/params/arguments/input/to"),
    at("/params/task"),
    at("/attributes/tool"),
  ];
  const inText = [at("/messages/0/tool_calls/0/function/arguments", "/amount")];

  expect(nameArguments(values, ["/params"])).toEqual([
    "to.name",
    "input.to",
    "task",
    "attributes.tool",
  ]);
  expect(nameArguments(inText, ["/messages/0/tool_calls/0/function"])).toEqual(["amount"]);
});

test("arguments of several calls are named by their location", () => {
  const values = [at("/input/0/arguments", "/to"), at("/input/1/arguments", "/amount")];

  expect(nameArguments(values, ["/input/0", "/input/1"])).toEqual([
    "/input/0/arguments/to",
    "/input/1/arguments/amount",
  ]);
});

test("arguments whose names would be equal are named by their location", () => {
  const values = [at("/params/arguments/to"), at("/params/input/to"), at("/params/arguments/id")];

  expect(nameArguments(values, ["/params"])).toEqual([
    "/params/arguments/to",
    "/params/input/to",
    "id",
  ]);
});

test("an argument without a name, or with a dot in it, has its location", () => {
  expect(nameArguments([at("/input", "")], [])).toEqual(["/input"]);
  expect(nameArguments([at("/params/to.name")], ["/params"])).toEqual(["/params/to.name"]);
});
