/** Writes the golden files of translations; review their differences before a commit. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { formatGolden, GOLDEN_FOLDER, translateCases } from "../test/dialects/translate-case.ts";

rmSync(GOLDEN_FOLDER, { recursive: true, force: true });
for (const { path, content } of translateCases()) {
  const target = `${GOLDEN_FOLDER}/${path}`;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, formatGolden(content));
}
