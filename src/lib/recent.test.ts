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
