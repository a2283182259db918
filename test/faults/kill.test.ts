/** `kill -9` during a burst of admin writes loses none that was answered (promise under faults). */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "../kit/program.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";

const KILLS = 20;

describe.each(databaseKinds)("%s", (kind) => {
  test(`${KILLS} kills in a burst lose no acknowledged write, and the folder opens again`, async () => {
    await using database = await freshDatabase(kind);
    const dir = mkdtempSync(join(tmpdir(), "portcullis-kill-"));
    const settings = { PORTCULLIS_DATA_DIR: dir, DATABASE_URL: database.url };
    const acknowledged: string[] = [];

    for (let round = 0; round < KILLS; round += 1) {
      const program = await startProgram({ settings });
      let answered = 0;
      const enough = Promise.withResolvers<void>();
      const write = async (index: number) => {
        const name = `g-${round}-${index}`;
        const reply = await program.admin("POST", "/v1/gateways", { name }).catch(() => undefined);
        // Read whole: an answer that was cut off is not an acknowledgement.
        const body = await reply?.json().catch(() => undefined);
        if (reply?.status !== 201 || !body) return;
        acknowledged.push(name);
        answered += 1;
        if (answered > round) enough.resolve();
      };
      const burst = Array.from({ length: 40 }, (_, index) => write(index));
      // In the middle: some are answered, the others are anywhere on their way.
      await enough.promise;
      await program.kill();
      await Promise.all(burst);
    }

    await using program = await startProgram({ settings });
    const kept = new Set<string>();
    let cursor = "";
    do {
      const reply = await program.admin("GET", `/v1/gateways?limit=200${cursor}`);
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
  "on %s, kills in a burst lose no evaluation that was answered",
  async (kind, more) => {
    await using database = await freshDatabase(kind);
    const dir = mkdtempSync(join(tmpdir(), "portcullis-kill-"));
    const settings = { PORTCULLIS_DATA_DIR: dir, DATABASE_URL: database.url, ...more };
    const answered: string[] = [];
    let [key, collector_id] = ["", ""];

    for (let round = 0; round < 5; round += 1) {
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
        answered.push(verdict.request_id);
        if (answered.length > 15 * (round + 1)) enough.resolve();
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
    expect(answered.length).toBeGreaterThan(50);
    expect(answered.filter((id) => !kept.has(id))).toEqual([]);
    rmSync(dir, { recursive: true, force: true });
  },
  60_000,
);
