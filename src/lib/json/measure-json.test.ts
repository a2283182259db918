import { describe, expect, test } from "bun:test";
import { measureJson, measureValue } from "./measure-json.ts";

const jsonWeight = (text: string): number => measureJson(text).weight;

describe("measureJson", () => {
  test("a million empty arrays are measured by their memory, not by their text", () => {
    expect(jsonWeight(`[${"[],".repeat(1_000_000)}[]]`)).toBeGreaterThan(90_000_000);
  });

  test("brackets and commas inside strings do not count", () => {
    expect(jsonWeight('{"a": "[[[,,,{{{"}')).toBe(jsonWeight('{"a": ""}'));
    expect(jsonWeight(String.raw`["\"[[", "\\", [] ]`)).toBe(jsonWeight('["", "", []]'));
  });

  test("text that ends inside a string is measured to its end", () => {
    expect(jsonWeight('["[[[[')).toBe(jsonWeight("["));
    expect(jsonWeight(`["${"\\".repeat(10_001)}`)).toBe(jsonWeight("["));
  });

  test("the depth is that of the deepest value, and strings have none", () => {
    expect(measureJson('[[], {"a": [{}]}, [[]]]').depth).toBe(4);
    expect(measureJson('"[[[["').depth).toBe(0);
  });

  test("members are those of all objects, and colons inside strings do not count", () => {
    expect(measureJson('{"a:b": {"c": [{"d": ":"}, 1]}, "e": {}}').members).toBe(4);
  });

  test("values are those of all objects and lists, and commas inside strings do not count", () => {
    expect(measureJson('{"a": [1, ",", 3], "b": 4}').values).toBe(5);
  });
});

test("measureValue counts text, values and containers", () => {
  const small = measureValue({ a: "x" });
  expect(measureValue({ a: "x".repeat(1001) }) - small).toBe(1000);
  expect(measureValue(Array(1000).fill([]))).toBeGreaterThan(90_000);
});
