import { expect, test } from "bun:test";
import type { Policy } from "../../src/contract/guard/policies.ts";
import { makeDetector, makeGuard, makeGuardWithRules, makePolicy, unique } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const MAIL = { payload: { input: "Write to ana@example.com" } };
const only = (entity: string) => ({ predefined_entities: [{ entity, enabled: true }] });

test("every save creates a version, the diff lists the changes, and an older version is restored as the newest", async () => {
  const shared = await kit();
  const { id } = await makePolicy(shared, { mode: "observe" });
  const gate = { name: "stop", when: null, action: "block" };
  await shared.put(`/v1/policies/${id}`, { mode: "enforce", gates: [gate] });

  const { items } = await (await shared.get(`/v1/policies/${id}/versions`)).json();
  const diff = await (await shared.get(`/v1/policies/${id}/versions/2/diff`)).json();
  const restored = await (
    await shared.post(`/v1/policies/${id}/versions/1/restore`, undefined)
  ).json();
  const third = await (await shared.get(`/v1/policies/${id}/versions/3`)).json();

  expect(items.map(({ number }: { number: number }) => number)).toEqual([2, 1]);
  expect(diff).toMatchObject({
    from: 1,
    to: 2,
    changes: [
      { path: "mode", before: "observe", after: "enforce" },
      { path: "gates[0]", before: null },
    ],
  });
  expect(restored).toMatchObject({ version: 3, mode: "observe", gates: [] });
  expect(third).toMatchObject({ number: 3, reason: "Version 1 was restored." });
  expect((await shared.get(`/v1/policies/${id}/versions/9`)).status).toBe(404);
});

test("a collector that pins a version keeps its verdicts when policy and detectors change", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention", {
    settings: only("email"),
  });
  const collector = `/v1/collectors/${guard.collector.id}`;
  const pinned = await shared.put(collector, { default_policy_version: 1 });
  await shared.put(`/v1/detectors/${guard.detector.id}`, { settings: only("iban") });
  const atVersion1 = await guard.evaluate(MAIL);
  await shared.put(collector, { default_policy_version: null });

  const newest = await guard.evaluate(MAIL);

  expect(pinned.status).toBe(200);
  expect([atVersion1.status, atVersion1.policy?.version]).toEqual(["block", 1]);
  expect([newest.status, newest.policy?.version]).toEqual(["allow", 2]);
  expect((await shared.put(collector, { default_policy_version: 99 })).status).toBe(422);
});

test("a pinned version belongs to one policy, and another policy starts with its newest version", async () => {
  const shared = await kit();
  const { collector, policy } = await makeGuard(shared, {});
  const path = `/v1/collectors/${collector.id}`;
  const other = await makePolicy(shared, {});
  await shared.put(`/v1/policies/${other.id}`, { mode: "observe" });
  const pinAfter = async (sent: object) =>
    (await (await shared.put(path, sent)).json()).default_policy_version;

  expect(await pinAfter({ default_policy_version: 1 })).toBe(1);
  expect(await pinAfter({ name: unique("renamed") })).toBe(1);
  expect(await pinAfter({ default_policy_id: policy.id })).toBe(1);
  expect(await pinAfter({ default_policy_id: other.id })).toBeNull();
  expect(await pinAfter({ default_policy_id: policy.id, default_policy_version: 1 })).toBe(1);
  expect(await pinAfter({ default_policy_id: null })).toBeNull();
});

test("a disabled detector is skipped everywhere at once, pinned versions too", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention");
  await shared.put(`/v1/detectors/${guard.detector.id}`, { enabled: false });

  const verdict = await guard.evaluate(MAIL);

  expect(verdict).toMatchObject({ status: "allow", detectors: { run: 0, skipped: 1 } });
  expect(verdict.policy?.version).toBe(1);
});

test("a deleted detector is skipped when a collector pins a version that contains it", async () => {
  const shared = await kit();
  await using upstream = startUpstream();
  const guard = await makeGuardWithRules(shared, "http", {
    settings: { url: upstream.url, allow_private: true },
  });
  await shared.put(`/v1/policies/${guard.policy.id}`, { input_rules: [] });
  expect((await shared.delete(`/v1/detectors/${guard.detector.id}`)).status).toBe(204);

  await shared.put(`/v1/collectors/${guard.collector.id}`, { default_policy_version: 1 });
  const verdict = await guard.evaluate(MAIL);

  expect(verdict.policy?.version).toBe(1);
  expect(verdict).toMatchObject({ status: "allow", detectors: { run: 0, skipped: 1 } });
  expect(upstream.hits).toEqual([]);
});

const rule = (more: object) => ({ input_rules: [{ action: "block", ...more }] });
const when = (more: object) => ({
  gates: [
    { name: "g", action: "block", when: { field: "tool.name", op: "eq", value: "x", ...more } },
  ],
});
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

test.each<[string, object, string]>([
  ["an unknown detector", rule({ detector_id: UNKNOWN }), "input_rules[0].detector_id"],
  ["an unknown action", rule({ detector_id: UNKNOWN, action: "allow" }), "input_rules[0].action"],
  ["a field that can never exist", when({ field: "tool.nmae" }), "gates[0].when.field"],
  [
    "an unknown direction",
    when({ field: "direction", value: "sideways" }),
    "gates[0].when.value: must be one of input, output",
  ],
  [
    "an unknown protocol in a list",
    when({ field: "protocol", op: "in", value: "llm, smtp" }),
    "gates[0].when.value: must be one of ",
  ],
  ["a list of nothing", when({ op: "in", value: [] }), "gates[0].when.value"],
  ["an unknown operator", when({ op: "like" }), "gates[0].when"],
  ["a list for eq", when({ value: ["a"] }), "gates[0].when.value"],
  ["words for gt", when({ op: "gt", value: "many" }), "gates[0].when.value"],
  ["a pattern that is none", when({ op: "match", value: "(" }), "gates[0].when.value"],
  ["a back-reference", when({ op: "match", value: "(a)\\1" }), "gates[0].when.value"],
  [
    "a transform gate without a mask",
    { gates: [{ name: "g", action: "transform" }] },
    "gates[0].mask",
  ],
  [
    "a mask without transform",
    { gates: [{ name: "g", action: "block", mask: {} }] },
    "gates[0].mask",
  ],
  [
    "an unknown mask",
    { gates: [{ name: "g", action: "transform", mask: { entity: 1 } }] },
    "gates[0].mask",
  ],
  [
    "two gates with the same name",
    {
      gates: [
        { name: "g", action: "skip" },
        { name: "g", action: "skip" },
      ],
    },
    "gates[1].name",
  ],
  ["a wrong mode", { mode: "off" }, "mode"],
])("saving a policy with %s is a 422 that names the member", async (_, policy, named) => {
  const reply = await (await kit()).post("/v1/policies", { name: unique("bad"), ...policy });

  expect(reply.status).toBe(422);
  expect((await reply.json()).message).toContain(named);
});

test("transform is rejected for a detector that cannot rewrite, and ask for an output rule", async () => {
  const shared = await kit();
  const size = await makeDetector(shared, "size_limit", { max_characters: 10 });
  const dlp = await makeDetector(shared, "data_loss_prevention");
  const messageFor = async (policy: object) =>
    (await (await shared.post("/v1/policies", { name: unique("bad"), ...policy })).json()).message;

  expect(await messageFor(rule({ detector_id: size.id, action: "transform" }))).toContain(
    "input_rules[0].action",
  );
  expect(await messageFor({ output_rules: [{ detector_id: dlp.id, action: "ask" }] })).toContain(
    "output_rules[0].action",
  );
});

test("deleting a resource in use is a 409 has_dependents that names its users", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention");

  const detector = await shared.delete(`/v1/detectors/${guard.detector.id}`);
  const policy = await shared.delete(`/v1/policies/${guard.policy.id}`);
  const uses = await (await shared.get(`/v1/detectors/${guard.detector.id}/uses`)).json();
  expect(uses.items).toMatchObject([{ policy_id: guard.policy.id, version: 1, is_latest: true }]);
  expect((await shared.get(`/v1/detectors/${crypto.randomUUID()}/uses`)).status).toBe(404);
  await shared.delete(`/v1/collectors/${guard.collector.id}`);

  expect(await detector.json()).toMatchObject({ error: "has_dependents" });
  expect([detector.status, policy.status]).toEqual([409, 409]);
  expect((await shared.delete(`/v1/policies/${guard.policy.id}`)).status).toBe(204);
  expect((await shared.delete(`/v1/detectors/${guard.detector.id}`)).status).toBe(204);
});

test("deleting a detector of a pinned version is a 409 has_dependents that names the version", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention", {
    policy: { name: unique("pinned policy") },
  });
  const collector = `/v1/collectors/${guard.collector.id}`;
  await shared.put(collector, { default_policy_version: 1 });
  await shared.put(`/v1/policies/${guard.policy.id}`, { input_rules: [] });

  const refused = await shared.delete(`/v1/detectors/${guard.detector.id}`);
  const uses = await (await shared.get(`/v1/detectors/${guard.detector.id}/uses`)).json();

  expect(uses.items).toMatchObject([{ policy_id: guard.policy.id, version: 1, is_latest: false }]);
  expect(refused.status).toBe(409);
  const { error, message } = await refused.json();
  expect(error).toBe("has_dependents");
  expect(message).toMatch(/^The policies "pinned policy \d+" \(version 1\) use this detector\./);
  await shared.put(collector, { default_policy_version: null });
  expect((await shared.delete(`/v1/detectors/${guard.detector.id}`)).status).toBe(204);
});

test("the catalog lists every detector kind with its sources, whether it masks, and a schema that accepts its defaults", async () => {
  const { items } = await (await (await kit()).get("/v1/detectors/catalog")).json();

  const kinds = items.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toContain("data_loss_prevention");
  for (const { title, summary, settings_schema } of items) {
    expect(title && summary).toBeTruthy();
    expect(settings_schema.type).toBe("object");
  }
});

test("a detector of an unknown kind or with wrong settings is a 422, and a kind never changes", async () => {
  const shared = await kit();
  const dlp = await makeDetector(shared, "data_loss_prevention");
  const post = (body: object) => shared.post("/v1/detectors", { name: unique("bad"), ...body });

  expect((await post({ kind: "magic" })).status).toBe(422);
  const wrong = await post({ kind: "data_loss_prevention", settings: { nonsense: 1 } });
  expect((await wrong.json()).message).toContain("settings.nonsense");
  expect((await shared.put(`/v1/detectors/${dlp.id}`, { kind: "size_limit" })).status).toBe(422);
});

test("conditions join with all, any and not; a missing attribute compares as empty text", async () => {
  const shared = await kit();
  const test = async (condition: object, sent: object) => {
    const guard = await makeGuard(shared, {
      gates: [{ name: "g", when: condition, action: "block" }],
    });
    return (await guard.evaluate({ payload: {}, ...sent })).status === "block";
  };
  const is = (field: string, op: string, value: unknown) => ({ field, op, value });
  const attributes = { consumer: { tag: ["vip", "beta"], type: "7" }, "model.name": "gpt-4o" };
  const call = {
    method: "tools/call",
    jsonrpc: "2.0",
    id: 1,
    params: { name: "t", arguments: { a: { b: "x" } } },
  };

  expect(await test(is("consumer.name", "neq", "x"), {})).toBe(true);
  expect(await test(is("consumer.name", "eq", ""), {})).toBe(true);
  expect(await test(is("consumer.tag", "eq", "beta"), { attributes })).toBe(true);
  expect(await test(is("consumer.type", "gt", 6), { attributes })).toBe(true);
  expect(await test(is("consumer.type", "lt", 6), { attributes })).toBe(false);
  expect(await test(is("model.name", "match", "^gpt-4"), { attributes })).toBe(true);
  expect(await test(is("model.name", "in", "a, gpt-4o"), { attributes })).toBe(true);
  expect(await test(is("consumer.id", "contains", "@x"), { consumer_id: "ana@x.io" })).toBe(true);
  expect(await test(is("consumer.id", "not_contains", "@x"), { consumer_id: "ana@x.io" })).toBe(
    false,
  );
  expect(await test(is("tool.arguments.a.b", "eq", "x"), { payload: call })).toBe(true);
  expect(
    await test(
      { not: { any: [is("protocol", "eq", "mcp"), is("direction", "eq", "output")] } },
      {},
    ),
  ).toBe(true);
  expect(
    await test(
      { all: [is("protocol", "eq", "llm"), is("direction", "eq", "input")] },
      { protocol: "llm" },
    ),
  ).toBe(true);
});

test("a saved policy returns its version as the ETag, and a stale change is rejected", async () => {
  const shared = await kit();
  const { id } = await makePolicy(shared, {});
  const read = await shared.get(`/v1/policies/${id}`);

  const stale = await shared.put(`/v1/policies/${id}`, { mode: "observe" }, { "if-match": '"7"' });

  expect(read.headers.get("etag")).toBe('"1"');
  expect(((await read.json()) as Policy).mode).toBe("enforce");
  expect(stale.status).toBe(412);
});

test("a policy is created with its detectors in one call, or nothing is created", async () => {
  const shared = await kit();
  const [name, words] = [unique("bundle"), unique("words")];
  const detectors = [{ name: words, kind: "prompt_moderation", settings: { keywords: ["zebra"] } }];
  const send = (changes: object) =>
    shared.post("/v1/policies/with-detectors", {
      name,
      detectors,
      input_rules: [{ detector: words, action: "block" }],
      ...changes,
    });
  const refused = async (changes: object) => (await (await send(changes)).json()).message;
  const bad = [{ name: "Bad", kind: "prompt_moderation", settings: { regex: ["(?=x)"] } }];

  expect(await refused({ output_rules: [{ detector: "other", action: "block" }] })).toBe(
    "output_rules[0].detector: must be the name of one of detectors",
  );
  expect(await refused({ detectors: [...detectors, ...bad] })).toStartWith(
    "detectors[1].settings.regex[0]: ",
  );
  expect(await refused({ name: "" })).toStartWith("name: ");
  const created = await send({});
  const policy = (await created.json()) as Policy;
  const test = await shared.post(`/v1/policies/${policy.id}/test`, {
    payload: { input: "A zebra" },
  });
  expect([created.status, (await test.json()).status]).toEqual([201, "block"]);
  expect(await refused({ name: unique("again") })).toBe(
    "detectors[0].name: this value is already taken.",
  );
});

test("a note of a save is in the history and the audit log; it does not apply to the next version", async () => {
  const shared = await kit();
  const { id } = await shared.make<Policy>("/v1/policies", {
    name: unique("noted"),
    note: "First draft",
  });
  const saved = await shared.put(`/v1/policies/${id}`, { mode: "observe", note: " Trial run " });
  await shared.put(`/v1/policies/${id}`, { mode: "enforce" });
  await shared.post(`/v1/policies/${id}/versions/2/restore`, undefined);

  const versions = await (await shared.get(`/v1/policies/${id}/versions`)).json();
  const audit = await (await shared.get(`/v1/audit?q=${id}`)).json();

  const notes = ({ items }: { items: { note?: string }[] }) => items.map(({ note }) => note);
  expect(notes(versions)).toEqual(["", "", "Trial run", "First draft"]);
  expect(notes({ items: audit.items.map((record: { after: object }) => record.after) })).toEqual([
    undefined,
    undefined,
    "Trial run",
    "First draft",
  ]);
  expect(await saved.json()).not.toHaveProperty("note");
  expect((await shared.put(`/v1/policies/${id}`, { note: "x".repeat(501) })).status).toBe(422);
});

test("the uses of a policy are its collectors and overrides, with their pinned versions", async () => {
  const shared = await kit();
  const guard = await makeGuard(shared, {});
  const policy_id = guard.policy.id;
  const other = await shared.make("/v1/collectors", { name: unique("other") });
  await shared.put(`/v1/collectors/${other.id}/overrides/ana`, { policy_id, policy_version: 1 });

  const { items } = await (await shared.get(`/v1/policies/${policy_id}/uses`)).json();

  expect(items).toMatchObject([
    { collector_id: guard.collector.id, consumer_id: null, version: null },
    { collector_id: other.id, consumer_id: "ana", version: 1 },
  ]);
  expect((await shared.get(`/v1/policies/${other.id}/uses`)).status).toBe(404);
});

test("the uses of a policy include the guards of gateways and consumers, and their MCP endpoints", async () => {
  const shared = await kit();
  const { collector, policy } = await makeGuard(shared, {});
  const other = await makeGuard(shared, {});
  const gateway = await shared.make<{ id: string; name: string }>("/v1/gateways", {
    name: unique("guarded"),
    guard: { collector_id: collector.id, mcp: { input: false, output: false } },
  });
  const consumer = (name: string, guard: object | null) =>
    shared.make<{ id: string; slug: string }>(`/v1/gateways/${gateway.id}/consumers`, {
      name,
      slug: `${name}-${crypto.randomUUID()}`,
      guard,
    });
  const own = await consumer("own", { collector_id: collector.id });
  await consumer("off", { off: true });
  await consumer("heir", null);
  const moved = await consumer("moved", null);
  await shared.put(`/v1/collectors/${collector.id}/overrides/${moved.id}`, {
    policy_id: other.policy.id,
  });
  const guards = async (id: string) =>
    (await (await shared.get(`/v1/policies/${id}/uses`)).json()).guards;

  expect(await guards(policy.id)).toMatchObject([
    { gateway_id: gateway.id, consumer: null, mcp_path: null, inherited_by: 1 },
    {
      gateway_name: gateway.name,
      consumer: { id: own.id, name: "own" },
      collector_id: collector.id,
      mcp_path: `/${own.slug}/mcp`,
      inherited_by: 0,
    },
  ]);
  expect(await guards(other.policy.id)).toMatchObject([{ consumer: { id: moved.id } }]);
});

test("a test evaluates a draft without saving it, and returns the texts, their findings and the time per detector", async () => {
  const shared = await kit();
  const { id } = await makePolicy(shared, { mode: "observe" });
  const detector = await makeDetector(shared, "data_loss_prevention", only("email"));
  const rule = { detector_id: detector.id, action: "block" };
  const run = (draft: object) => shared.post(`/v1/policies/${id}/test`, { ...MAIL, draft });

  const tested = await (await run({ name: "Draft", input_rules: [rule] })).json();
  const wrong = await run({ name: "Draft", output_rules: [{ ...rule, action: "ask" }] });
  const saved = await (await shared.post(`/v1/policies/${id}/test`, MAIL)).json();

  expect(tested).toMatchObject({
    status: "block",
    policy: { id, mode: "enforce" },
    findings: [
      { evidence: { places: [{ label: "email", pointer: "/input", start: 9, end: 24 }] } },
    ],
    content: [{ pointer: "/input", source: "user", text: MAIL.payload.input }],
    detector_times: [{ detector_id: detector.id, ms: expect.any(Number) }],
  });
  expect([wrong.status, (await wrong.json()).message]).toEqual([
    422,
    expect.stringContaining("output_rules[0].action"),
  ]);
  expect(saved).toMatchObject({ status: "allow", detector_times: [] });
  // A large sample is evaluated in a worker, which caches saved versions only.
  const actions = ["block", "transform"];
  const large = { payload: { input: `${MAIL.payload.input} `.repeat(3000) } };
  for (const action of actions) {
    const draft = { name: "Draft", input_rules: [{ ...rule, action }] };
    const reply = await shared.post(`/v1/policies/${id}/test`, { ...large, draft });
    expect(await reply.json()).toMatchObject({ status: action, content: [{ pointer: "/input" }] });
  }
  expect(await (await shared.get(`/v1/policies/${id}`)).json()).toMatchObject({ version: 1 });
});
