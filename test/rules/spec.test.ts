/** Every rule of docs/spec.md has a test that starts with its number, and every citation resolves. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const spec = readFileSync("docs/spec.md", "utf8");
const rules = new Set([...spec.matchAll(/^- \*\*([\d.]+)\*\*/gm)].map(([, id = ""]) => id));
const sections = new Set([...spec.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, id = ""]) => id));
const decisions = new Set(readdirSync("docs/decisions").map((file) => file.slice(0, 4)));

const files = ["src", "test", "bench", "scripts", "docs"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  .filter((file) => /\.(?:tsx?|md)$/.test(file) && !/^test\/(?:golden|rules)\//.test(file))
  .concat("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));

/** Numbers that test names start with. */
const named = files
  .filter(({ file }) => file.endsWith(".test.ts"))
  .flatMap(({ file, text }) =>
    [
      ...text.matchAll(
        /(?:\b(?:test|describe)(?:\.\w+(?:\([^()]*\))?)?\(|\]\)\()\s*["'`](\d+(?:\.\d+)+|\d) /g,
      ),
    ].map(([, id = ""]) => ({ file, id })),
  );

test("every rule has a test whose name starts with its number", () => {
  const tested = new Set(named.map(({ id }) => id));
  expect([...rules].filter((id) => !tested.has(id))).toEqual([]);
});

test("a number at the start of a test name is a rule of docs/spec.md", () => {
  expect(named.filter(({ id }) => !rules.has(id))).toEqual([]);
});

test("a citation of the specification names a rule or a section", () => {
  const cited = files.flatMap(({ file, text }) =>
    [...text.matchAll(/\b[Ss]pec (\d[\d.]*\d|\d)((?:(?:, | and )\d[\d.]*\d)*)/g)].flatMap(
      ([, first = "", rest = ""]) =>
        [first, ...(rest.match(/\d[\d.]*\d/g) ?? [])].map((id) => ({ file, id })),
    ),
  );
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ id }) => !rules.has(id) && !sections.has(id))).toEqual([]);
});

test("a citation of a decision names a file in docs/decisions", () => {
  const cited = files.flatMap(({ file, text }) =>
    [...text.matchAll(/\b[Dd]ecision (\d+)/g)].map(([, id = ""]) => ({ file, id })),
  );
  expect(cited.filter(({ id }) => !decisions.has(id))).toEqual([]);
});

test("nothing cites documents outside of this repository", () => {
  const outside = /\b(?:guard|gateway|store|console)-facts\b|\bcases? \d+\b|\bprovider [ABMX]\b/i;
  expect(
    files.filter(({ text }) => outside.test(text.replace(/case 0x/g, ""))).map(({ file }) => file),
  ).toEqual([]);
});
