/** A collector that observes for a time: nothing is blocked or rewritten. */
import { expect, test } from "bun:test";
import { makeDetector, makeGuard, makeGuardWithRules } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { createTestClock } from "../kit/test-clock.ts";

const HOUR_MS = 3_600_000;
const CHAT = "/v1/chat/completions";
const PAST = "2026-01-01T00:00:00Z";
const words = { settings: { keywords: ["falcon"] } };
const FORBIDDEN = { payload: { input: "About falcon" } };
const clock = createTestClock();
const inHours = (hours: number) => new Date(clock.now().getTime() + hours * HOUR_MS).toISOString();
const kitOf = sharedKit({ settings: { ACTIVITY_COMMIT: "before" }, now: clock.now });

const setUntil = async (kit: Kit, { id }: { id: string }, observe_until: string | null) => {
  const reply = await kit.put(`/v1/collectors/${id}`, { observe_until });
  expect(reply.status).toBe(200);
};

const ask = (content: string, more: object = {}) => ({
  model: "m",
  messages: [{ role: "user", content }],
  ...more,
});

test("a collector observes until its time, and then enforces without a change", async () => {
  const kit = await kitOf();
  const guard = await makeGuardWithRules(kit, "prompt_moderation", words);
  await setUntil(kit, guard.collector, inHours(1));

  const observed = await guard.evaluate(FORBIDDEN);
  clock.advance(HOUR_MS);
  const enforced = await guard.evaluate(FORBIDDEN);

  expect(observed).toMatchObject({
    status: "report",
    policy: { mode: "observe" },
    findings: [{ outcome: { action: "report" }, evidence: { would_be: "block" } }],
  });
  expect(enforced).toMatchObject({ status: "block", policy: { mode: "enforce" } });
});

test.each([
  ["in the past", PAST],
  ["null", null],
])("a time %s has no effect", async (_, observe_until) => {
  const collector = { observe_until };
  const guard = await makeGuardWithRules(await kitOf(), "prompt_moderation", {
    ...words,
    collector,
  });

  expect(await guard.evaluate(FORBIDDEN)).toMatchObject({ status: "block" });
});

test("gates, masks, overrides and batches are observed too", async () => {
  const kit = await kitOf();
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  const when = { field: "model.name", op: "eq", value: "large" };
  const policy = {
    gates: [{ name: "Large", when, action: "ask" }],
    input_rules: [{ detector_id, action: "transform" }],
  };
  const guard = await makeGuard(kit, {}, { observe_until: inHours(1) });
  const { policy: override } = await makeGuard(kit, policy);
  const path = `/v1/collectors/${guard.collector.id}/overrides/alice`;
  await kit.put(path, { policy_id: override.id });
  const card = { payload: { input: "4111 1111 1111 1111" }, consumer_id: "alice" };
  const large = { ...card, attributes: { model: { name: "large" } } };

  const reply = await guard.send([card, large], {}, "/v1/evaluate/batch");

  expect(await reply.json()).toMatchObject([
    { status: "report", transformed_payload: null },
    { status: "report", findings: [{ evidence: { would_be: "ask" } }, {}] },
  ]);
});

test("a body that a worker evaluates is observed, and then blocked by the same version", async () => {
  const kit = await kitOf();
  const guard = await makeGuardWithRules(kit, "prompt_moderation", words);
  const large = { payload: { input: `falcon ${"word ".repeat(30_000)}` } };

  const before = await guard.evaluate(large);
  await setUntil(kit, guard.collector, inHours(1));
  const during = await guard.evaluate(large);
  await setUntil(kit, guard.collector, null);
  const after = await guard.evaluate(large);

  expect([before.status, during.status, after.status]).toEqual(["block", "report", "block"]);
  expect(during.policy).toEqual({ id: guard.policy.id, version: 1, mode: "observe" });
});

test("an inline guard that observes lets a request and its stream pass, and Explain shows it", async () => {
  const kit = await kitOf();
  const { id: detector_id } = await makeDetector(kit, "prompt_moderation", words.settings);
  const rules = [{ detector_id, action: "block" }];
  const event = (content: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const chunks = [event("About fal"), event("con"), "data: [DONE]\n\n"];
  await using it = await makeGuardedConsumer(
    kit,
    { input_rules: rules, output_rules: rules },
    {
      script: { headers: { "content-type": "text/event-stream" }, chunks },
      collector: { observe_until: inHours(1) },
    },
  );
  const path = `/v1/gateways/${it.gateway.id}/consumers/${it.id}/explain`;

  const reply = await it.post(CHAT, ask("falcon", { stream: true }));
  const text = await reply.text();
  const explained = await (await kit.post(path, { path: CHAT })).json();
  const evaluations = await it.evaluations(reply.headers.get("x-ag-trace-id"));
  await setUntil(kit, it.collector, PAST);
  const refused = await it.post(CHAT, ask("falcon", { stream: true }));

  expect([reply.status, reply.headers.get("x-ag-guard")]).toEqual([200, "report"]);
  expect(text).toBe(chunks.join(""));
  expect(evaluations).toMatchObject([
    { status: "report", policy_mode: "observe", findings: [{ evidence: { would_be: "block" } }] },
    { status: "report", policy_mode: "observe", findings: [{ evidence: { would_be: "block" } }] },
  ]);
  expect(explained).toMatchObject({ guard: { policy: { mode: "observe" } } });
  expect(refused.status).toBe(403);
});

test("MCP tools and calls pass while a collector observes, and are blocked after it", async () => {
  const kit = await kitOf();
  await using server = startMcpServer({
    tools: [{ name: "notes", description: "All about falcon" }, { name: "pay" }],
  });
  const store = await makeMcpStore(kit);
  const { code } = await store.serve("Office", server.url);
  await store.install("alice", code);
  const { id: detector_id } = await makeDetector(kit, "prompt_moderation", words.settings);
  const when = { field: "tool.name", op: "eq", value: "pay" };
  const policy = {
    gates: [{ name: "no pay", when, action: "block" }],
    output_rules: [{ detector_id, action: "block" }],
  };
  const { collector } = await makeGuard(kit, policy, { observe_until: inHours(1) });
  await kit.put(store.path, { guard: { collector_id: collector.id } });
  await using client = await store.client("alice");
  const useTools = async () => {
    const tools = await client.tools();
    const { isError } = await client.call("office__pay");
    return { lists: tools.includes("office__notes"), isError };
  };

  const observed = await useTools();
  clock.advance(HOUR_MS);

  expect(observed).toEqual({ lists: true, isError: false });
  expect(await useTools()).toEqual({ lists: false, isError: true });
});

test("a replay of observed evaluations shows what the policy changes when it is enforced", async () => {
  const kit = await kitOf();
  const guard = await makeGuardWithRules(kit, "prompt_moderation", {
    ...words,
    collector: { content_storage: "full", observe_until: inHours(1) },
  });
  await guard.evaluate(FORBIDDEN);

  const body = { draft: null, collector_id: guard.collector.id };
  const reply = await kit.post(`/v1/policies/${guard.policy.id}/replay`, body);

  expect(await reply.json()).toMatchObject({ transitions: { "report→block": 1 }, skipped: 0 });
});

test("the change of a collector is audited", async () => {
  const kit = await kitOf();
  const { collector } = await makeGuard(kit, {});
  const until = inHours(1);
  await setUntil(kit, collector, until);

  const { items } = await (await kit.get("/v1/audit?limit=1")).json();

  expect(items).toMatchObject([
    {
      action: "collector.update",
      resource_id: collector.id,
      before: { observe_until: null },
      after: { observe_until: until },
    },
  ]);
});
