import { expect, test } from "bun:test";
import { createFileHints, fileIdsIn } from "./file-hints.ts";

test("the least recently used hint goes first", () => {
  const hints = createFileHints(2);
  hints.remember("a", "r1");
  hints.remember("b", "r2");

  hints.find("a");
  hints.remember("c", "r3");

  expect([hints.find("a"), hints.find("b"), hints.find("c")]).toEqual(["r1", undefined, "r3"]);
});

test("ids are read out of lists and single answers", () => {
  expect(fileIdsIn('{"data":[{"id": "file-1"},{"id":"file_2"}],"first_id":"x"}')).toEqual([
    "file-1",
    "file_2",
  ]);
  expect(fileIdsIn('{"id":"with space"}')).toEqual([]);
});
