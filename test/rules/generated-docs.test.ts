/** Generated pages are up to date. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { generatedDocs } from "../../scripts/docs.ts";

const root = join(import.meta.dir, "../..");

test.each(Object.entries(generatedDocs()))(
  "%s is up to date; otherwise run npm run docs",
  async (path, text) => {
    expect(await Bun.file(join(root, path)).text()).toBe(text);
  },
);
