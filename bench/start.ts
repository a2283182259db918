/** Cold start: from the command to the first response of /readyz, on a new and on an existing installation. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Check } from "./checks.ts";

const ROUNDS = 10;

export async function run(): Promise<readonly Check[]> {
  const existing = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  await startOnce(existing);
  const rows: [string, number[]][] = [
    ["new installation", []],
    ["existing installation", []],
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    const fresh = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
    rows[0]?.[1].push(await startOnce(fresh));
    rows[1]?.[1].push(await startOnce(existing));
    rmSync(fresh, { recursive: true });
  }
  rmSync(existing, { recursive: true });
  console.log(`Cold start to ready, ${ROUNDS} rounds (ms)\n`);
  console.log("| | median | slowest |\n|---|---|---|");
  for (const [name, times] of rows) {
    const sorted = times.toSorted((one, other) => one - other);
    const [median = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    console.log(`| ${name} | ${Math.round(median)} | ${Math.round(slowest)} |`);
  }
  return [];
}

async function startOnce(dir: string): Promise<number> {
  const port = freePort();
  const began = performance.now();
  const child = Bun.spawn([resolve("bin/portcullis"), "start"], {
    env: {
      PATH: process.env.PATH ?? "",
      PORTCULLIS_DATA_DIR: dir,
      PORTCULLIS_LISTEN: `127.0.0.1:${port}`,
    },
    stdout: "ignore",
    stderr: "ignore",
  });
  let ready = false;
  while (!ready && performance.now() - began < 20_000) {
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    ready = reply?.status === 200;
    if (!ready) await Bun.sleep(2);
  }
  const took = performance.now() - began;
  child.kill("SIGTERM");
  await child.exited;
  if (!ready) throw new Error("It did not become ready within 20 s.");
  return took;
}

function freePort(): number {
  const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = held;
  held.stop(true);
  return port;
}
