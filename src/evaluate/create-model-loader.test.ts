import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModelLoader } from "./create-model-loader.ts";

test("a weight file that is missing or damaged is named, until it is repaired", async () => {
  const path = join(await mkdtemp(join(tmpdir(), "weights-")), "names.weights");
  const sha256 = new Bun.CryptoHasher("sha256").update("intact").digest("hex");
  const load = createModelLoader((bytes) => bytes.length, { path, sha256 });
  const problem = "The weight file names.weights is missing or damaged. Install Portcullis again.";

  expect(load()).rejects.toThrow(problem);
  await Bun.write(path, "damaged");
  expect(load()).rejects.toThrow(problem);
  await Bun.write(path, "intact");
  expect(await load()).toBe(6);
});
