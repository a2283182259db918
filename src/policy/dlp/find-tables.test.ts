import { expect, test } from "bun:test";
import { createSegment } from "../segment.ts";
import { findEntities } from "./find-entities.ts";

/** Returns the entities above the default minimum confidence. */
const findDefault = (text: string) =>
  findEntities(createSegment(text, "user", { pointer: "/input" }))
    .filter(({ confidence }) => confidence >= 0.5)
    .map(({ entity, start, end }) => `${entity}=${text.slice(start, end)}`);

test.each([
  ["CSV", "name,ssn,passport\nana,078051120,512345678\nbob,078051121,512345679\n", 4],
  ["quoted CSV", '"name","ssn"\n"Doe, Jane","078051120"\n"Doe, Ann","078051121"\n', 2],
  ["TSV with common words", "name\tein\nana\t12-3456789\nbob\t12-3456780\n", 2],
  ["Markdown", "| Name | Passport |\n|---|---|\n| Ana | 512345678 |\n| Bob | 512345679 |\n", 2],
  ["a list", "Account numbers:\n12345678\n12345679\n12345670\n", 3],
])("the header of %s is a clue for its column", (_, text, count) => {
  expect(findDefault(text)).toHaveLength(count);
});

test.each([
  ["other columns", "ssn,order\n078051120,078051121\n", ["ssn=078051120"]],
  ["the text after a table", "ssn,name\n078051120,ana\n\nWe sold 078051121,\n", ["ssn=078051120"]],
  ["a line of prose", "We lost my account, sorry\nand paid 12345678, again\n", []],
])("the header of a table is no clue for %s", (_, text, found) => {
  expect(findDefault(text)).toEqual(found);
});
