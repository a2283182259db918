import { expect, test } from "bun:test";
import { findObjectIds } from "./find-object-ids.ts";

test("ids are found in lists and single objects", () => {
  expect(findObjectIds('{"data":[{"id": "file-1"},{"id":"file_2"}],"first_id":"x"}')).toEqual([
    "file-1",
    "file_2",
  ]);
  expect(findObjectIds('{"id":"with space"}')).toEqual([]);
});

test("ids of the files that a batch created are found", () => {
  const batch = { id: "batch_1", input_file_id: "file-1", output_file_id: "file-2" };

  expect(findObjectIds(JSON.stringify(batch))).toEqual(["batch_1", "file-2"]);
});
