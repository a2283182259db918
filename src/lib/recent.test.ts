import { expect, test } from "bun:test";
import { createRecent } from "./recent.ts";

test("the least recently used entry goes first", () => {
  const recent = createRecent<string>(2);
  recent.remember("a", "r1");
  recent.remember("b", "r2");

  recent.find("a");
  recent.remember("c", "r3");

  expect([recent.find("a"), recent.find("b"), recent.find("c")]).toEqual(["r1", undefined, "r3"]);
});

test("what is forgotten is gone, and what is remembered again has its new value", () => {
  const recent = createRecent<number>(2);
  recent.remember("a", 1);
  recent.remember("b", 1);

  recent.forget("a");
  recent.remember("b", 2);

  expect([recent.find("a"), recent.find("b")]).toEqual([undefined, 2]);
});

test("a heavy entry takes the place of several light ones, and gives it back", () => {
  const recent = createRecent<string>(10);
  for (const key of ["a", "b", "c"]) recent.remember(key, key, 3);
  recent.remember("heavy", "heavy", 6);
  const left = ["a", "b", "c", "heavy"].filter((key) => recent.find(key) !== undefined);

  recent.forget("heavy");
  recent.remember("d", "d", 7);

  expect(left).toEqual(["c", "heavy"]);
  expect([recent.find("c"), recent.find("d")]).toEqual(["c", "d"]);
});
