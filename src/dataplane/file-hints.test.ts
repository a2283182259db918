import { expect, test } from "bun:test";
import { fileIdsIn } from "./file-hints.ts";

test("ids are read out of lists and single answers", () => {
  expect(fileIdsIn('{"data":[{"id": "file-1"},{"id":"file_2"}],"first_id":"x"}')).toEqual([
    "file-1",
    "file_2",
  ]);
  expect(fileIdsIn('{"id":"with space"}')).toEqual([]);
});
