/** A policy applies to every evaluation, also while it changes. */
import { describe, expect, test } from "bun:test";
import { makeDetector, makeGuard } from "../kit/guard.ts";
import { startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";

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
