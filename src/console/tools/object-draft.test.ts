/** Tests that drafts of JSON objects keep every value. */
import { expect, test } from "bun:test";
import { type MemberDraft, newMember, toObject, toObjectDraft } from "./object-draft.ts";

test("an unchanged object is sent exactly", () => {
  const value = { a: "x\ny", b: [1.5, [true, null], { c: {} }], d: false, e: "", "f.g": [] };

  expect(toObject(toObjectDraft(value), "arguments")).toEqual(value);
});

test.each<[string, readonly MemberDraft[], string]>([
  ["a repeated name", [newMember("a"), newMember("a")], "the name “a” is used twice"],
  ["no name", [newMember("")], "enter each name"],
  ["no number", [{ ...newMember("n"), type: "number" }], "enter a number for “n”"],
])("an invalid member is reported: %s", (_, members, problem) => {
  expect(() => toObject({ members }, "arguments")).toThrow(`arguments: ${problem}`);
});

test("edited JSON must be an object", () => {
  expect(toObject({ json: '{"a": 1}' }, "arguments")).toEqual({ a: 1 });
  expect(() => toObject({ json: "[]" }, "arguments")).toThrow("arguments: must be a JSON object");
});
