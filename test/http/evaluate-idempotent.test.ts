/** Stored responses of evaluations with an Idempotency-Key are bounded: by age, count and bytes. */
import { describe, expect, test } from "bun:test";
import { sweep } from "../../src/server/sweep.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";

const MAX_REPLIES = 10_000;
const MAX_MIB = 64;
const MAX_MIB_OVERALL = 512;
const MIB = 1024 * 1024;

describe.each(["sqlite", "postgres"] as const)("on %s", (database) => {
  const kit = sharedKit({ database });

  test("the latest responses of each collector are kept, and all of an administrator", async () => {
    const shared = await kit();
    await store(shared, { owner: "full", rows: MAX_REPLIES + 50, bytes: 10 });
    await store(shared, { owner: "heavy", rows: MAX_MIB + 6, bytes: MIB });
    await store(shared, { owner: "other", rows: 3, bytes: MIB });
    await store(shared, { owner: "", rows: 20, bytes: 4 * MIB });

    await sweep(shared.deps);

    expect(await idsOf(shared, "full")).toHaveLength(MAX_REPLIES);
    expect(await idsOf(shared, "full")).not.toContain("full-50");
    expect(await idsOf(shared, "heavy")).toHaveLength(MAX_MIB);
    expect(await idsOf(shared, "other")).toHaveLength(3);
    expect(await idsOf(shared, "")).toHaveLength(20);
  });

  test("the latest responses of all collectors together are kept", async () => {
    const shared = await kit();
    for (let owner = 0; owner < 10; owner++) {
      await store(shared, { owner: `many-${owner}`, rows: MAX_MIB, bytes: MIB });
    }

    await sweep(shared.deps);

    const left = await shared.db.many<{ bytes: number }>(
      "SELECT bytes FROM idempotent_replies WHERE owner <> ''",
    );
    expect(left.reduce((sum, { bytes }) => sum + Number(bytes), 0)).toBeLessThanOrEqual(
      MAX_MIB_OVERALL * MIB,
    );
  });

  test("a collector that sends many keys is bounded before the next sweep", async () => {
    const shared = await kit();
    const guard = await makeGuardWithRules(shared, "data_loss_prevention");
    const owner = guard.collector.id;
    await store(shared, { owner, rows: MAX_REPLIES, bytes: 10 });

    for (let count = 0; count < 100; count++) {
      await guard.evaluate({ payload: { input: "x" } }, { "idempotency-key": `key-${count}` });
    }

    await until(async () => (await idsOf(shared, owner)).length <= MAX_REPLIES);
    const again = await guard.evaluate(
      { payload: { input: "x" } },
      { "idempotency-key": "key-99" },
    );
    expect(again.status).toBe("allow");
  });
});

const idsOf = async (kit: Kit, owner: string): Promise<string[]> => {
  const rows = await kit.db.many<{ id: string }>(
    "SELECT id FROM idempotent_replies WHERE owner = $1",
    owner,
  );
  return rows.map(({ id }) => id);
};

/** Rows as evaluations leave them; the first of them are the oldest. */
async function store(
  kit: Kit,
  { owner, rows, bytes }: { owner: string; rows: number; bytes: number },
): Promise<void> {
  const since = Date.now() - 3_600_000;
  for (let from = 1; from <= rows; from += 1000) {
    const ids = Array.from({ length: Math.min(1000, rows - from + 1) }, (_, at) => from + at);
    const values = ids.map(
      (at) =>
        `('${owner}-${at}', 'h', 'r', '${new Date(since + at).toISOString()}', '${owner}', ${bytes})`,
    );
    await kit.db.run(
      `INSERT INTO idempotent_replies (id, request_hash, reply, created_at, owner, bytes) VALUES ${values.join(", ")}`,
    );
  }
}
