/** Simultaneous evaluations on two nodes of one installation. */
import { expect, test } from "bun:test";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import { type Draft, makeDetector, makeGuard } from "../kit/guard.ts";
import type { Kit } from "../kit/kit.ts";
import { twoNodes } from "../kit/two-nodes.ts";
import { until } from "../kit/until.ts";

/** A collector that both know, and its client on either. */
async function guardOfBoth({ one, other }: { one: Kit; other: Kit }, policy: Draft) {
  const { key, collector } = await makeGuard(one, policy);
  const authorization = `Bearer ${key}`;
  const { revision } = one.deps.snapshot();
  await until(() => other.deps.snapshot().revision >= revision);
  return {
    collector,
    evaluate: async (node: Kit, body: object, headers: Record<string, string> = {}) => {
      const reply = await node.post("/v1/evaluate", body, { authorization, ...headers });
      return (await reply.json()) as Verdict & { error?: string };
    },
  };
}

test("two nodes mask the same session at once without waiting for each other", async () => {
  await using nodes = await twoNodes("postgres");
  const { id } = await makeDetector(nodes.one, "data_loss_prevention", { reversible: true });
  const rules = [{ detector_id: id, action: "transform" }];
  const { evaluate } = await guardOfBoth(nodes, { input_rules: rules });
  const addresses = Array.from({ length: 100 }, (_, index) => `person${index}@example.com`);
  const orders = [addresses.join(" "), addresses.toReversed().join(" ")];
  const both = (session_id: string) =>
    [nodes.one, nodes.other].map((node, index) =>
      evaluate(node, { payload: { input: orders[index] }, session_id }),
    );

  const verdicts = await Promise.all(["s1", "s2", "s3"].flatMap(both));

  expect(verdicts.map(({ status, error }) => error ?? status)).toEqual(
    verdicts.map(() => "transform"),
  );
}, 30_000);

test("the same Idempotency-Key on two nodes at once is evaluated once, and both return the same verdict", async () => {
  await using nodes = await twoNodes("postgres");
  const { evaluate, collector } = await guardOfBoth(nodes, {});
  const keys = ["a", "b", "c", "d", "e", "f"];
  const both = (key: string) =>
    [nodes.one, nodes.other].map((node) =>
      evaluate(node, { payload: { input: "x" } }, { "idempotency-key": key }),
    );

  const verdicts = await Promise.all(keys.flatMap(both));

  const ids = new Set(verdicts.map(({ request_id }) => request_id));
  expect(ids.size).toBe(keys.length);
  const listed = async () => {
    const reply = await nodes.one.get(`/v1/activity?collector_id=${collector.id}`);
    return ((await reply.json()) as { items: { id: string }[] }).items.map(({ id }) => id);
  };
  await until(async () => (await listed()).length >= keys.length);
  await nodes.other.deps.flushEvaluations();
  expect(new Set(await listed())).toEqual(ids);
});

test("an Idempotency-Key whose node was killed during the evaluation is evaluated on another node", async () => {
  await using nodes = await twoNodes("postgres");
  const { evaluate } = await guardOfBoth(nodes, {});
  const once = { "idempotency-key": "killed" };
  const { request_id } = await evaluate(nodes.one, { payload: { input: "x" } }, once);
  await nodes.one.db.run("UPDATE idempotent_replies SET reply = ''");

  const later = await evaluate(nodes.other, { payload: { input: "x" } }, once);
  const again = await evaluate(nodes.one, { payload: { input: "x" } }, once);

  expect([later.status, later.request_id === request_id]).toEqual(["allow", false]);
  expect(again.request_id).toBe(later.request_id);
}, 30_000);

test("events that another node has not written yet are erased too", async () => {
  await using nodes = await twoNodes("postgres");
  const { evaluate } = await guardOfBoth(nodes, {});
  await evaluate(nodes.other, { payload: { input: "x" }, consumer_id: "ana" });

  const erased = await nodes.one.post("/v1/activity/erase", { consumer_id: "ana" });
  await nodes.other.deps.flushEvaluations();
  const listed = await nodes.one.get("/v1/activity?consumer_id=ana");

  expect(await erased.json()).toEqual({ erased: 1 });
  expect(await listed.json()).toMatchObject({ items: [] });
});
