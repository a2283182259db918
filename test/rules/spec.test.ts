/** Every numbered rule of docs/spec.md has a test that is named after it. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Rules whose part of the program is not built yet. May only shrink. */
const NOT_YET: string[] = [];

const rules = [...readFileSync("docs/spec.md", "utf8").matchAll(/^- \*\*([\d.]+)\*\*/gm)].map(
  ([, id = ""]) => id,
);
const named = new Set(
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => [
      ...readFileSync(join("test", file), "utf8").matchAll(/["'`](\d+(?:\.\d+)*) [a-zA-Z`$%*]/g),
    ])
    .map(([, id]) => id),
);

test("every rule has a test that is named after it", () => {
  expect(rules.filter((id) => !named.has(id) && !NOT_YET.includes(id))).toEqual([]);
});

test("the list of rules without a test only shrinks", () => {
  expect(NOT_YET.filter((id) => named.has(id) || !rules.includes(id))).toEqual([]);
});
