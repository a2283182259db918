import { expect, test } from "bun:test";
import { type MemberScan, parseMember, scanMembers } from "./scan-members.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const scan = (text: string) => scanMembers(encode(text), ["model", "stream", "é"]);
const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;

function scanned(text: string): MemberScan<"model" | "stream" | "é"> {
  const members = scan(text);
  if (!members.ok) throw new Error(members.reason);
  return members;
}

test("a wanted member is found with its kind and the bytes of its value", () => {
  const text = '{ "a": {"model": 1}, "model" : "gpt" , "stream":true}';

  const model = scanned(text).found.get("model");

  expect(model).toMatchObject({ kind: "string", earlier: undefined });
  expect(text.slice(model?.start, model?.end)).toBe('"gpt"');
  expect(scanned(text).found.get("stream")?.kind).toBe("true");
});

test("the same name inside another member is not the top-level one", () => {
  expect(scanned('{"a":{"model":"inner"},"b":[{"model":"inner"}]}').found.size).toBe(0);
});

test("the last of several members of one name is returned, linked to the earlier ones", () => {
  const members = scanned('{"model":"first","x":1,"model":"last"}');

  expect(parseMember(members, "model")).toBe("last");
  expect(members.found.get("model")?.earlier).toMatchObject({ start: 9, end: 16 });
});

test("names are compared after unescaping, also outside of ASCII", () => {
  expect(parseMember(scanned('{"\\u006dodel":"hidden"}'), "model")).toBe("hidden");
  expect(parseMember(scanned('{"é":1}'), "é")).toBe(1);
  expect(parseMember(scanned('{"\\u00e9":2}'), "é")).toBe(2);
});

test("each kind of value is detected by its first byte", () => {
  const kinds = ['""', "-1", "{}", "[]", "true", "false", "null"].map(
    (value) => scanned(`{"model":${value}}`).found.get("model")?.kind,
  );

  expect(kinds).toEqual(["string", "number", "object", "array", "true", "false", "null"]);
});

test("a value is parsed like JSON.parse does; a missing one is undefined", () => {
  const members = scanned('{"model":"a\\u00e9\\n","stream":false}');

  expect(parseMember(members, "model")).toBe("aé\n");
  expect(parseMember(members, "stream")).toBe(false);
  expect(parseMember(members, "é")).toBeUndefined();
});

test("a view into a larger buffer is read at its own offset", () => {
  const large = encode('xx{"model":"m"}yy');

  const members = scanMembers(large.subarray(2, 15), ["model"]);

  expect(members.ok && parseMember(members, "model")).toBe("m");
});

test.each([
  ["", "not a JSON object"],
  ["[1]", "not a JSON object"],
  ['"text"', "not a JSON object"],
  ["\ufeff{}", "not a JSON object"],
  ['{"a":1', "not valid JSON: it ends too early"],
  ['{"a":"b', "not valid JSON: it ends too early"],
  ['{"a":tru', "not valid JSON: it ends too early"],
  ['{"a":1,}', "not valid JSON at byte 7"],
  ['{"a":01}', "not valid JSON at byte 6"],
  ['{"a":1.}', "not valid JSON at byte 7"],
  ['{"a":+1}', "not valid JSON at byte 5"],
  ['{"a":NaN}', "not valid JSON at byte 5"],
  ['{"a" 1}', "not valid JSON at byte 5"],
  ["{'a':1}", "not valid JSON at byte 1"],
  ['{"a":"\t"}', "not valid JSON at byte 6"],
  ['{"a":"\\x"}', "not valid JSON at byte 7"],
  ['{"a":"\\u12g4"}', "not valid JSON at byte 10"],
  ['{"a":[1 2]}', "not valid JSON at byte 8"],
  ['{"a":[1}]}', "not valid JSON at byte 7"],
  ['{"a":{"b"}}', "not valid JSON at byte 9"],
  ["{} {}", "not valid JSON at byte 3"],
  ["{}\0", "not valid JSON at byte 2"],
])("%j is rejected: %s", (text, reason) => {
  expect(scan(text)).toEqual({ ok: false, reason });
});

test("bytes that are not UTF-8 are rejected, even inside a string", () => {
  const bytes = Buffer.from('{"a":"\xff"}', "latin1");

  expect(scanMembers(bytes, [])).toEqual({ ok: false, reason: "not valid UTF-8" });
});

test("1000 levels are accepted, one more is rejected", () => {
  expect(scan(nested(1000)).ok).toBe(true);
  expect(scan(nested(1001))).toEqual({ ok: false, reason: "nested deeper than 1000 levels" });
  expect(scan(`{"a":${"[".repeat(1e6)}`).ok).toBe(false);
});

test("an object of more than 1000 members is rejected", () => {
  const object = (members: number) => `{${'"model":1,'.repeat(members - 1)}"x":1}`;

  expect(scan(object(1000)).ok).toBe(true);
  expect(scan(object(1001))).toEqual({ ok: false, reason: "an object of more than 1000 members" });
});

test("a name in another case or letter style is a variant, not the member itself", () => {
  for (const name of ["MODEL", "m\u004fdel", "ｍodel", "\\ud835\\udc26odel", "\u24dcodel"]) {
    const { found, variants } = scanned(`{"model":1,"${name}":2}`);
    expect([found.get("model")?.start, variants.get("model")?.kind]).toEqual([9, "number"]);
  }
  for (const name of ["mode", "models", "\\nodel", "\\\\model", "m\\u006f", "móde", ""]) {
    expect(scanned(`{"${name}":2}`).variants.size).toBe(0);
  }
});

test("an error in long text is reported with its offset", () => {
  const long = "x".repeat(200_000);

  expect(scan(`{"a":"${long}","model":"m"}`)).toMatchObject({ ok: true });
  expect(scan(`{"a":"${long}\n"}`)).toEqual({ ok: false, reason: "not valid JSON at byte 200006" });
  expect(scan(`{"a":"${long}\\"${long}\\q"}`).ok).toBe(false);
});
