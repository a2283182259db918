import { expect, test } from "bun:test";
import { cuttable } from "../kit/cuttable.ts";
import { makeGuard } from "../kit/guard.ts";
import { startKit } from "../kit/kit.ts";
import { freshDatabase } from "../kit/services.ts";

const GATE = { name: "ask", when: { field: "consumer.id", op: "eq", value: "ana" }, action: "ask" };

test("7 Postgres away: evaluation goes on, and its events are written when it is back", async () => {
  const { url } = await freshDatabase("postgres");
  using line = cuttable(url);
  await using kit = await startKit({ database_url: line.url });
  const guard = await makeGuard(kit, { gates: [GATE] });
  line.cut();
  const plain = await guard.evaluate({ payload: { input: "x" } }, { "idempotency-key": "away" });
  const asked = await guard.evaluate({ payload: { input: "x" }, consumer_id: "ana" });
  line.mend();

  const listed = await until(async () => {
    const reply = await kit.get(`/v1/activity?collector_id=${guard.collector.id}`);
    return reply.ok && (await reply.json()).items.length === 2;
  });

  expect([plain.status, asked.status]).toEqual(["allow", "ask"]);
  expect(asked.findings[0]?.evidence.approval_id).toBeNull();
  expect(listed).toBe(true);
}, 30_000);

async function until(works: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + 15_000; performance.now() < end; await Bun.sleep(100)) {
    if (await works()) return true;
  }
  return false;
}
