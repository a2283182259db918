import { expect, test } from "bun:test";
import { createLruCache } from "./lru-cache.ts";

test("the least recently used entry is evicted first", () => {
  const recent = createLruCache<string>(2);
  recent.set("a", "r1");
  recent.set("b", "r2");

  recent.get("a");
  recent.set("c", "r3");

  expect([recent.get("a"), recent.get("b"), recent.get("c")]).toEqual(["r1", undefined, "r3"]);
});

test("a deleted entry is missing, and a replaced one has its new value", () => {
  const recent = createLruCache<number>(2);
  recent.set("a", 1);
  recent.set("b", 1);

  recent.delete("a");
  recent.set("b", 2);

  expect([recent.get("a"), recent.get("b")]).toEqual([undefined, 2]);
});

test("a heavy entry evicts several light ones, and frees its weight", () => {
  const recent = createLruCache<string>(10);
  for (const key of ["a", "b", "c"]) recent.set(key, key, 3);
  recent.set("heavy", "heavy", 6);
  const left = ["a", "b", "c", "heavy"].filter((key) => recent.get(key) !== undefined);

  recent.delete("heavy");
  recent.set("d", "d", 7);

  expect(left).toEqual(["c", "heavy"]);
  expect([recent.get("c"), recent.get("d")]).toEqual(["c", "d"]);
});
