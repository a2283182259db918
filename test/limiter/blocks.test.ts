/** Blocks in the database: written together, again if need be, bounded, one for each subject (spec 8.5). */
import { expect, test } from "bun:test";
import { configRevision } from "../../src/db/config-revision.ts";
import { blockedSubjectTable, readBlockExpiries } from "../../src/db/tables/blocked-subjects.ts";
import { createBlockList, MAX_BLOCKS } from "../../src/plugins/rate-limiter/block-list.ts";
import { startCuttableProxy } from "../kit/cuttable-proxy.ts";
import { startKit } from "../kit/kit.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { startLimited } from "./limited.ts";

/** A gateway in a real installation, and blocks of its own that read the snapshot given. */
async function setUp() {
  const kit = await startKit();
  const gateway = await kit.make("/v1/gateways", { name: "g" });
  const { db, now, newId, log, snapshot } = kit.deps;
  const blocks = createBlockList({ db, now, newId, log, snapshot });
  return {
    kit,
    db,
    gateway_id: gateway.id,
    blocks,
    add: (subject: string) =>
      blocks.add({ gateway_id: gateway.id, type: "per_user", subject }, Infinity),
    end: (subject: string) => blocks.endOf(gateway.id, "per_user", subject, now().getTime()),
    async [Symbol.asyncDispose]() {
      await blocks.stop();
      await kit[Symbol.asyncDispose]();
    },
  };
}

test("8.5 simultaneous blocks are one change of the configuration", async () => {
  await using at = await setUp();
  const before = await configRevision(at.db);

  for (let user = 0; user < 200; user++) at.add(`user ${user}`);
  await at.blocks.stop();

  expect(await configRevision(at.db)).toBe(before + 1);
  expect((await readBlockExpiries(at.db)).get(at.gateway_id)?.size).toBe(200);
});

test("8.5 the number of blocks of a gateway is capped", async () => {
  await using at = await setUp();
  for (let user = 0; user < MAX_BLOCKS; user++) at.add(`user ${user}`);

  at.add("one too many");

  expect([at.end("user 0"), at.end("one too many")]).toEqual([Infinity, undefined]);
  expect(at.kit.lines.some((line) => line.includes("blocks_full"))).toBe(true);
});

test("8.5 a block of a deleted gateway does not delay other blocks", async () => {
  await using at = await setUp();
  at.blocks.add({ gateway_id: Bun.randomUUIDv7(), type: "per_ip", subject: "x" }, Infinity);
  at.add("kept");

  await at.blocks.stop();

  const rows = await blockedSubjectTable.all(at.db);
  expect(rows.map(({ subject }) => subject)).toEqual(["kept"]);
});

test("8.5 a subject that is blocked again gets the new expiry", async () => {
  await using at = await setUp();
  const block = { gateway_id: at.gateway_id, type: "per_user", subject: "u" } as const;
  at.blocks.add(block, 1_000);
  await at.blocks.stop();

  at.blocks.add(block, 3_600_000);
  await at.blocks.stop();

  const [row, ...others] = await blockedSubjectTable.all(at.db);
  expect(others).toEqual([]);
  expect(Date.parse(row?.ends_at ?? "") - Date.now()).toBeGreaterThan(3_500_000);
});

// Postgres alone: SQLite is never away, only busy, and that is waited for.
test("8.5 while the database is unavailable, a block applies at once and is written later", async () => {
  await using database = await freshDatabase("postgres");
  using line = startCuttableProxy(database.url);
  await using kit = await startKit({ database_url: line.url });
  await using limited = await startLimited(kit, {
    limits: { per_user: { limit: 1, window: "1s" } },
    actions: { type: "block" },
  });
  const bad = { "user-id": "bad" };
  const failures = () => kit.lines.filter((line) => line.includes("blocks_not_written")).length;

  line.cut();
  const statuses = await limited.statuses(2, bad);
  await until(() => failures() >= 2);
  // A second later its window is over: what refuses now is the block.
  const during = await limited.statuses(1, bad);
  line.mend();
  const rows = () => blockedSubjectTable.all(kit.db).catch(() => []);
  await until(async () => (await rows()).length > 0);

  expect([...statuses, ...during]).toEqual([200, 429, 429]);
  await using other = await startKit({ database_url: database.url, data_dir: kit.data_dir });
  const there = await fetch(`${other.url}/${limited.slug}/v1/models`, {
    headers: { "x-ag-api-key": limited.key, ...bad },
  });
  expect(there.status).toBe(429);
  const lifted = await kit.delete(`${limited.path}/limits/blocks/per_user/bad`);
  expect([lifted.status, ...(await limited.statuses(1, bad))]).toEqual([204, 200]);
});
