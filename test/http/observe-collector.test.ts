/** A collector that observes for a time: nothing is blocked or rewritten, and what would have happened is counted. */
import { describe, expect, test } from "bun:test";
import { getObserved } from "../../src/contract/guard/collectors.ts";
import { makeDetector, makeGuard, makeGuardWithRules } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { databaseKinds } from "../kit/services.ts";
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

describe.each(databaseKinds)("%s", (database) => {
  const databaseKit = sharedKit({ database });

  const readObserved = async (kit: Kit, { id }: { id: string }, query = "") => {
    const reply = await kit.get(`/v1/collectors/${id}/observed${query}`);
    expect(reply.status).toBe(200);
    return getObserved.reply.parse(await reply.json());
  };

  test("what would have happened is grouped by action, type and place, with the newest event", async () => {
    const kit = await databaseKit();
    const { id: masks } = await makeDetector(kit, "data_loss_prevention");
    const { id: blocks } = await makeDetector(kit, "prompt_moderation", words.settings);
    const { id: withholds } = await makeDetector(kit, "prompt_moderation", { keywords: ["owl"] });
    const when = { field: "model.name", op: "eq", value: "large" };
    const guard = await makeGuard(
      kit,
      {
        gates: [{ name: "Large", when, action: "ask" }],
        input_rules: [
          { detector_id: masks, action: "transform" },
          { detector_id: blocks, action: "block" },
          { detector_id: withholds, action: "withhold" },
        ],
      },
      { observe_until: "2999-01-01T00:00:00+02:00" },
    );
    const user = { role: "user", content: "4111 1111 1111 1111" };
    const system = { role: "system", content: "falcon" };
    await guard.evaluate({ payload: { messages: [user] } });
    await guard.evaluate({ payload: { messages: [{ ...user, content: "Hello" }] } });
    await guard.evaluate({ payload: { messages: [system, user] } });
    const result = { role: "tool", tool_call_id: "c", content: "About an owl" };
    const withheld = await guard.evaluate({ payload: { messages: [result] } });
    const { request_id } = await guard.evaluate({
      payload: { messages: [{ ...user, content: "Hello" }, user] },
      attributes: { model: { name: "large" } },
    });

    const observed = await readObserved(kit, guard.collector);

    expect(withheld).toMatchObject({ status: "report", transformed_payload: null });
    expect(observed).toMatchObject({ evaluations: 5, truncated: false });
    expect(observed.items.map(({ action, place, count }) => ({ action, place, count }))).toEqual([
      { action: "transform", place: "/messages/*/content", count: 3 },
      { action: "ask", place: null, count: 1 },
      { action: "withhold", place: "/messages/*/content", count: 1 },
      { action: "block", place: "/messages/*/content", count: 1 },
    ]);
    expect(observed.items[0]).toMatchObject({ type: "pii", last_event_id: request_id });
    expect(observed.items[0]?.detector_name).toStartWith("data_loss_prevention");
    expect(observed.items[1]).toMatchObject({ type: "gate_ask", detector_name: "Large" });
    const { from, to } = observed;
    expect(Date.parse(to) - Date.parse(from)).toBe(7 * 24 * HOUR_MS);
    const later = await readObserved(kit, guard.collector, `?from=${to}&to=2999-01-01T00:00:00Z`);
    expect(later).toMatchObject({ evaluations: 0, items: [] });
  });

  test("more groups than fit are truncated, and other collectors are not counted", async () => {
    const kit = await databaseKit();
    const rule = { ...words, collector: { observe_until: "2999-01-01T00:00:00Z" } };
    const guard = await makeGuardWithRules(kit, "prompt_moderation", rule);
    const other = await makeGuardWithRules(kit, "prompt_moderation", rule);
    await other.evaluate(FORBIDDEN);
    for (let batch = 0; batch < 3; batch += 1) {
      const bodies = Array.from({ length: 100 }, (_, at) => ({
        payload: { [`text${batch}_${at}`]: "About falcon" },
      }));
      await guard.send(bodies, {}, "/v1/evaluate/batch");
    }

    const { items, evaluations, truncated } = await readObserved(kit, guard.collector);

    expect([items.length, evaluations, truncated]).toEqual([200, 300, true]);
    expect(await readObserved(kit, other.collector)).toMatchObject({
      items: [{ action: "block", place: "/input", count: 1 }],
      truncated: false,
    });
  });

  test("the observed traffic of an unknown collector is a 404", async () => {
    const kit = await databaseKit();

    const reply = await kit.get(`/v1/collectors/${crypto.randomUUID()}/observed`);

    expect(reply.status).toBe(404);
  });
});
