/** `kill -9` during a burst of writes loses no acknowledged write. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killWorker, type Program, startProgram } from "../kit/program.ts";
import { freshDatabase } from "../kit/services.ts";

const KILLS = 4;

/** Kills the program, or one of its workers; returns the program that serves from then on. */
const restart = async (program: Program, settings: Record<string, string>) => {
  await program.kill();
  return await startProgram({ settings });
};
const replaceWorker = async (program: Program) => {
  await killWorker(program, Math.floor(Math.random() * 2));
  return program;
};

describe.each([
  ["sqlite", "sqlite", [], restart],
  ["postgres", "postgres", [], restart],
  ["two workers on sqlite", "sqlite", ["--workers", "2"], replaceWorker],
] as const)("%s", (_, kind, args, killOne) => {
  test(`${KILLS} kills in a burst lose no acknowledged write, and the next start succeeds`, async () => {
    await using database = await freshDatabase(kind);
    const dir = mkdtempSync(join(tmpdir(), "portcullis-kill-"));
    const settings = { PORTCULLIS_DATA_DIR: dir, DATABASE_URL: database.url };
    const acknowledged: string[] = [];

    let program = await startProgram({ args: [...args], settings });
    for (let round = 0; round < KILLS; round += 1) {
      let count = 0;
      const enough = Promise.withResolvers<void>();
      const write = async (index: number) => {
        const name = `g-${round}-${index}`;
        const reply = await program.admin("POST", "/v1/gateways", { name }).catch(() => undefined);
        // Read completely: a truncated response is not an acknowledgment.
        const body = await reply?.json().catch(() => undefined);
        if (reply?.status !== 201 || !body) return;
        acknowledged.push(name);
        count += 1;
        if (count > round) enough.resolve();
      };
      const burst = Array.from({ length: 40 }, (_, index) => write(index));
      // In the middle: some are acknowledged, others are in flight.
      await enough.promise;
      program = await killOne(program, settings);
      await Promise.all(burst);
    }

    await using last = program;
    const kept = new Set<string>();
    let cursor = "";
    do {
      const reply = await last.admin("GET", `/v1/gateways?limit=200${cursor}`);
      const page = (await reply.json()) as {
        items: { name: string }[];
        next_cursor: string | null;
      };
      for (const { name } of page.items) kept.add(name);
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : "";
    } while (cursor);
    expect(acknowledged.length).toBeGreaterThan(KILLS);
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
    rmSync(dir, { recursive: true, force: true });
  }, 120_000);
});

test.each([
  ["sqlite", {}],
  ["postgres", { ACTIVITY_COMMIT: "before" }],
] as const)(
  "on %s, kills in a burst lose no acknowledged evaluation",
  async (kind, more) => {
    await using database = await freshDatabase(kind);
    const dir = mkdtempSync(join(tmpdir(), "portcullis-kill-"));
    const settings = { PORTCULLIS_DATA_DIR: dir, DATABASE_URL: database.url, ...more };
    const acknowledged: string[] = [];
    let [key, collector_id] = ["", ""];

    for (let round = 0; round < 3; round += 1) {
      const program = await startProgram({ settings });
      if (round === 0) {
        const made = await program.admin("POST", "/v1/collectors", { name: "c" });
        collector_id = ((await made.json()) as { id: string }).id;
        const issued = await program.admin("POST", `/v1/collectors/${collector_id}/keys`, {
          name: "k",
        });
        key = ((await issued.json()) as { key: string }).key;
      }
      const enough = Promise.withResolvers<void>();
      const evaluate = async (index: number) => {
        const reply = await fetch(`${program.url}/v1/evaluate`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ payload: { input: `text ${index}` } }),
        }).catch(() => undefined);
        const verdict = (await reply?.json().catch(() => undefined)) as { request_id?: string };
        if (reply?.status !== 200 || !verdict?.request_id) return;
        acknowledged.push(verdict.request_id);
        if (acknowledged.length > 15 * (round + 1)) enough.resolve();
      };
      const burst = Array.from({ length: 60 }, (_, index) => evaluate(index));
      await Promise.race([enough.promise, Promise.all(burst)]);
      await program.kill();
      await Promise.all(burst);
    }

    await using program = await startProgram({ settings });
    const exported = await program.admin("GET", `/v1/activity/export?collector_id=${collector_id}`);
    const kept = new Set(
      (await exported.text())
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    );
    expect(acknowledged.length).toBeGreaterThan(30);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    rmSync(dir, { recursive: true, force: true });
  },
  60_000,
);
