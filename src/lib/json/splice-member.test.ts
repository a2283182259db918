import { expect, test } from "bun:test";
import { scanMembers } from "./scan-members.ts";
import { spliceMember } from "./splice-member.ts";

function splice(text: string, value: string | undefined): string {
  const members = scanMembers(new TextEncoder().encode(text), ["model"]);
  if (!members.ok) throw new Error(members.reason);
  return Buffer.from(
    spliceMember(members, "model", value === undefined ? undefined : Buffer.from(value)),
  ).toString();
}

test("replacing a value preserves big integers, key order, white space and duplicates", () => {
  const text = '{ "z" : 12345678901234567890, "model"\t:\n"a" ,"z":1.0e+2, "b":[ ] }\r\n';

  expect(splice(text, '"other"')).toBe(text.replace('"a"', '"other"'));
});

test("every duplicate of the name gets the new value, so that first-wins parsers read it too", () => {
  expect(splice('{"model":"a","x":1,"\\u006dodel":{"b":2}}', "7")).toBe(
    '{"model":7,"x":1,"\\u006dodel":7}',
  );
});

test.each([
  ["{}", '{"model":1}'],
  ["{ }", '{"model":1 }'],
  ['{"a":2 }', '{"a":2,"model":1 }'],
  [' {"a":{}} ', ' {"a":{},"model":1} '],
])("the member is appended to %j: %j", (text, expected) => {
  expect(splice(text, "1")).toBe(expected);
});

test.each([
  ['{"model":1}', "{}"],
  ['{ "model" : 1 }', "{}"],
  ['{"model":1, "a":2}', '{ "a":2}'],
  ['{"a":2 , "model":1 }', '{"a":2 }'],
  ['{"a":2,"model":1,"b":3}', '{"a":2,"b":3}'],
  ['{"model":1,"model":2}', "{}"],
  ['{"model":1,"model":2,"b":3}', '{"b":3}'],
  ['{"model":1,"a":2,"model":3}', '{"a":2}'],
  ['{"a":2}', '{"a":2}'],
])("%j without the member is %j", (text, expected) => {
  expect(splice(text, undefined)).toBe(expected);
});

test("the input bytes are not modified", () => {
  const bytes = new TextEncoder().encode('{"model":1}');
  const members = scanMembers(bytes, ["model"]);
  if (!members.ok) throw new Error(members.reason);

  spliceMember(members, "model", Buffer.from("22")).fill(0);
  spliceMember(members, "model", undefined).fill(0);

  expect(Buffer.from(bytes).toString()).toBe('{"model":1}');
});
