/** Damages real documents thousands of times: each must be read or rejected, in time. */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { seeded } from "../../../test/kit/random.ts";
import { readDocumentText } from "./read-document-text.ts";

const FOLDER = "test/golden/documents";
const PAGE = "<!doctype html><title>t</title><p title='x'>a &amp; b<!-- c --><script>d</script>";
const WORDS = [
  "<<",
  ">>",
  "[",
  "(",
  ")",
  "stream",
  "endobj",
  " 0 obj",
  "/Kids",
  "9999999999",
  "-1",
];

test("a damaged document is read or rejected with a known reason, in time", async () => {
  const files = await Promise.all(
    readdirSync(FOLDER).map((name) => Bun.file(`${FOLDER}/${name}`).bytes()),
  );
  const { below, pick } = seeded(4);
  const reasons = new Set<string>();
  let slowest = 0;

  for (let round = 0; round < 3000; round++) {
    const bytes = Buffer.from(pick([...files, Buffer.from(PAGE)]));
    for (let change = below(20); change >= 0; change--) {
      const at = below(bytes.length);
      if (below(2)) bytes[at] = below(256);
      else bytes.write(pick(WORDS), at, "latin1");
    }
    const started = performance.now();
    const result = await readDocumentText(bytes, { content_type: null });
    slowest = Math.max(slowest, performance.now() - started);
    if (!result.ok) reasons.add(result.reason);
  }

  // The reason for what no parser expected, that is for a mistake of ours.
  expect([...reasons]).not.toContain("The file is damaged.");
  expect(reasons.size).toBeGreaterThan(3);
  expect(slowest).toBeLessThan(1000);
});
