/** Compares the translations of every pair of dialects with the golden files. Changed on purpose: `npm run golden`. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { formatGolden, GOLDEN_FOLDER, translateCases } from "./translate-case.ts";

const files = translateCases();

test.each(files.map(({ path, content }) => [path, content] as const))(
  "%s is translated as in its golden file",
  (path, content) => {
    expect(formatGolden(content)).toBe(readFileSync(`${GOLDEN_FOLDER}/${path}`, "utf8"));
  },
);

test("every golden file has a case", () => {
  const stored = readdirSync(GOLDEN_FOLDER, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".json"),
  );
  expect(stored.sort()).toEqual(files.map(({ path }) => path).sort());
});
