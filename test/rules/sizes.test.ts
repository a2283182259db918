/** Caps the size of source files, except tables of data. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LIMIT = 300;
/** At most five, each a table of data. */
const TABLES = ["contract/gateway/shipped-catalog.ts", "contract/gateway/shipped-models.ts"];

test(`no source file has more than ${LIMIT} lines`, () => {
  const long = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts") && !TABLES.includes(file))
    .map((file) => ({ file, lines: readFileSync(join("src", file), "utf8").split("\n").length }))
    .filter(({ lines }) => lines > LIMIT);

  expect(long).toEqual([]);
});
