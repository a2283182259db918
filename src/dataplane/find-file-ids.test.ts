import { expect, test } from "bun:test";
import { findFileIds } from "./find-file-ids.ts";

test("ids are found in lists and single objects", () => {
  expect(findFileIds('{"data":[{"id": "file-1"},{"id":"file_2"}],"first_id":"x"}')).toEqual([
    "file-1",
    "file_2",
  ]);
  expect(findFileIds('{"id":"with space"}')).toEqual([]);
});
