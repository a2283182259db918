/** On a full disk no unrecorded verdict is returned, unless the collector is fail-open. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeGuardWithRules, type TestGuard } from "../kit/guard.ts";
import { startKit } from "../kit/kit.ts";
import { readMetrics } from "../kit/metrics.ts";
import { runProgram } from "../kit/program.ts";
import { until } from "../kit/until.ts";

const folder = mkdtempSync(join(tmpdir(), "portcullis-full-"));
const mount = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder]);

test.skipIf(mount.exitCode !== 0)(
  "SQLite with ACTIVITY_COMMIT=before: what is not on disk is a 500, or a counted pass",
  async () => {
    try {
      await onSmallDisk();
    } finally {
      Bun.spawnSync(["umount", "--lazy", folder]);
    }
  },
  60_000,
);

async function onSmallDisk() {
  await using kit = await startKit({
    data_dir: folder,
    database_url: `sqlite:${join(folder, "portcullis.db")}`,
    settings: { ACTIVITY_COMMIT: "before" },
  });
  const action = "report" as const;
  const closed = await makeGuardWithRules(kit, "data_loss_prevention", { action });
  const collector = { fail_mode: "open" };
  const open = await makeGuardWithRules(kit, "data_loss_prevention", { action, collector });
  const ids: string[] = [];
  const send = async (guard: TestGuard) => {
    const reply = await guard.send({ payload: { input: "word ".repeat(2000) } });
    const { request_id, error } = await reply.json();
    if (reply.status === 200 && guard === closed) ids.push(request_id);
    return { status: reply.status, error };
  };
  expect((await send(closed)).status).toBe(200);

  const ballast = join(folder, "ballast");
  fill(ballast);
  let refused = await send(closed);
  await until(async () => {
    refused = await send(closed);
    return refused.status !== 200;
  });
  const passed = await send(open);
  const settings = { PORTCULLIS_DATA_DIR: folder };
  const doctor = JSON.parse((await runProgram(["doctor", "--json"], settings)).out);

  expect(refused).toEqual({ status: 500, error: expect.stringContaining("fail-closed") });
  expect(passed.status).toBe(200);
  expect(doctor.checks).toContainEqual({
    name: "data folder",
    state: "fail",
    message: `the disk of ${folder} is full`,
    todo: expect.stringContaining("Free space"),
  });
  const unrecorded = "portcullis_evaluations_unrecorded_total";
  expect((await readMetrics(kit.url)).get(unrecorded)).toBeGreaterThan(1);

  rmSync(ballast);
  await until(async () => (await send(closed)).status === 200);
  for (const id of ids) {
    await until(async () => (await kit.get(`/v1/activity/${id}`)).status === 200);
  }
}

/** Leaves not one page of the disk. */
function fill(file: string): void {
  const { bavail, bsize } = statfsSync(folder);
  for (let left = bavail * bsize; left > 0; left -= 4096) {
    try {
      writeFileSync(file, Buffer.alloc(4096), { flag: "a" });
    } catch {
      return;
    }
  }
}
