import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram, WITHOUT_ROOT_RIGHTS } from "../kit/program.ts";
import { until } from "../kit/until.ts";

test("a node whose data folder becomes read-only is not ready, with the reason, until it can write again", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-folder-"));
  const settings = { PORTCULLIS_DATA_DIR: dir };
  await using program = await startProgram({ settings, by: WITHOUT_ROOT_RIGHTS });
  const readyz = async () => {
    const reply = await fetch(`${program.url}/readyz`);
    return { http: reply.status, ...(await reply.json()) };
  };
  const before = await readyz();
  const probes = () => readdirSync(dir).filter((name) => name.startsWith(".probe"));

  await until(() => probes().length === 0); // none that could not be deleted anymore
  chmodSync(dir, 0o500);
  await until(async () => (await readyz()).http === 503);
  const during = await readyz();
  const metrics = await (await program.call("GET", "/metrics")).text();
  chmodSync(dir, 0o700);
  await until(async () => (await readyz()).http === 200);

  expect(before.http).toBe(200);
  expect(metrics).toContain("portcullis_data_folder_writable 0");
  expect(during).toEqual({
    http: 503,
    status: "not ready",
    reason: "The data folder cannot be written: permission denied (EACCES).",
  });
  await program.stop();
  expect(await program.errors).toContain("data_folder_failed");
  expect(probes()).toEqual([]);
  rmSync(dir, { recursive: true, force: true });
}, 40_000);
