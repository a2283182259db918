/** The table of dropped members in docs/dialects.md lists what the readers drop. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { inboundDialects } from "../../src/dialects/all.ts";

test("docs/dialects.md lists every dropped member of every dialect", () => {
  const page = readFileSync("docs/dialects.md", "utf8");
  const table = page.slice(page.indexOf("<!-- dropped -->"), page.indexOf("<!-- /dropped -->"));
  const rows = Object.entries(inboundDialects).flatMap(([dialect, { dropped }]) =>
    Object.entries(dropped).map(
      ([object, names]) =>
        `| \`${dialect}\` | ${object} | ${names.map((name) => `\`${name}\``).join(", ")} |`,
    ),
  );

  expect(table.split("\n").filter((line) => line.startsWith("| `"))).toEqual(rows);
});
