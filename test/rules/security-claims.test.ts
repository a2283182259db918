/** docs/security.md names a test for every claim, and all of them exist. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

test("every claim in docs/security.md has a test that exists", () => {
  const page = readFileSync("docs/security.md", "utf8");
  const [, table = ""] = page.split("## Claims and tests");
  const rows = table.split("\n").filter((line) => /^\| (?!Claim|-)/.test(line));
  const files = rows.map((row) =>
    [...row.matchAll(/`((?:test|src)\/[\w/.-]+)`/g)].map(([, file = ""]) => file),
  );

  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((_, index) => files[index]?.length === 0)).toEqual([]);
  expect(files.flat().filter((file) => !existsSync(file))).toEqual([]);
});
