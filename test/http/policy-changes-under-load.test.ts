/** A policy applies to every evaluation, also while it changes. */
import { describe, expect, test } from "bun:test";
import { makeDetector, makeGuard } from "../kit/guard.ts";
import { startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { until } from "../kit/until.ts";

describe.each(databaseKinds)("%s", (database) => {
  test("no evaluation is without its policy while detectors and policies change", async () => {
    await using kit = await startKit({ database });
    const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
    const { policy, send } = await makeGuard(kit, {
      input_rules: [{ detector_id, action: "block" }],
    });
    const statuses = new Set<string>();
    let changing = true;
    const evaluate = async () => {
      while (changing) {
        const reply = await send({ payload: { input: "ana@example.com" } });
        statuses.add(((await reply.json()) as { status: string }).status);
      }
    };
    const change = async (path: string) => {
      for (let index = 0; index < 10; index++) {
        const reply = await kit.call("PATCH", path, { name: `${path} ${Math.random()}` });
        expect(reply.status).toBe(200);
      }
    };
    const evaluations = Promise.all([evaluate(), evaluate()]);

    await Promise.all([
      ...Array.from({ length: 4 }, () => change(`/v1/detectors/${detector_id}`)),
      change(`/v1/policies/${policy.id}`),
    ]);
    changing = false;
    await evaluations;

    expect([...statuses]).toEqual(["block"]);
  }, 60_000);
});

test("a policy that changes while Postgres is read applies in its version before", async () => {
  await using kit = await startKit({ database: "postgres" });
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  const { collector, policy, evaluate } = await makeGuard(kit, {
    input_rules: [{ detector_id, action: "block" }],
  });
  let reloaded: Promise<unknown> | undefined;

  await kit.db.transaction(async (tx) => {
    await tx.run("LOCK TABLE policy_versions IN ACCESS EXCLUSIVE MODE");
    // The configuration is read again: the policies, and then their versions, which wait for the lock.
    reloaded = kit.make(`/v1/collectors/${collector.id}/keys`, { name: "test" });
    await until(async () => {
      const waiting =
        "SELECT 1 FROM pg_locks WHERE relation = 'policy_versions'::regclass AND NOT granted";
      return (await tx.one(waiting)) !== undefined;
    });
    await tx.run(
      `INSERT INTO policy_versions SELECT 'next', policy_id, number + 1, document, reason, actor, created_at
       FROM policy_versions WHERE policy_id = $1`,
      policy.id,
    );
    await tx.run("UPDATE policies SET version = version + 1 WHERE id = $1", policy.id);
  });
  await reloaded;

  expect(await evaluate({ payload: { input: "ana@example.com" } })).toMatchObject({
    status: "block",
    policy: { version: 1 },
  });
});
