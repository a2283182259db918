/** The pages that are made from code are as the code makes them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { generatedDocs } from "../../scripts/docs.ts";

const root = join(import.meta.dir, "../..");

test.each(Object.entries(generatedDocs()))(
  "%s is current: else run npm run docs",
  async (path, text) => {
    expect(await Bun.file(join(root, path)).text()).toBe(text);
  },
);
