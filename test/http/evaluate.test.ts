import { expect, test } from "bun:test";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import type { Json } from "../kit/check-verdict.ts";
import { makeDetector, makeGuard, makeGuardWithRules, makePolicy, typesOf } from "../kit/guard.ts";
import { OWNER_TOKEN, sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const CARD = "My card is 4111 1111 1111 1111, thanks.";

test("4.3.1 a block is an HTTP 200 with a finding that has source, signal, outcome and evidence", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  const verdict = await guard.evaluate({ payload: { input: CARD } });

  expect(verdict.status).toBe("block");
  expect(verdict.findings).toMatchObject([
    {
      source: { kind: "detector", plugin: "data_loss_prevention", detector_id: guard.detector.id },
      signal: { type: "pii" },
      outcome: { action: "block" },
      evidence: {
        count: 1,
        labels: { credit_card: 1 },
        places: [{ pointer: "/input", start: 11 }],
      },
    },
  ]);
  expect(JSON.stringify(verdict)).not.toContain("4111 1111");
});

test("4.3.1 transform rewrites the payload and keeps every other byte", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });
  const payload = `{"model":"m","n":12345678901234567890,"messages":[{"role":"user","content":${JSON.stringify(CARD)}}]}`;

  const text = await (await guard.send(`{"payload":${payload}}`)).text();

  const masked = payload.replace("4111 1111 1111 1111", "[MASKED_CC]");
  expect(text).toContain(`"transformed_payload":${masked}`);
});

test("4.3.1 text that is JSON is masked inside its escapes, and is still valid JSON", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });
  const document = String.raw`{"a":"x\nana@example.com","b":"\u201cbo@example.com\u201d","c":"{\"d\":\"\\n4111111111111111\"}"}`;
  const content = [{ type: "text", text: document }];

  const { transformed_payload } = await guard.evaluate({ payload: { result: { content } } });

  const masked = (transformed_payload as { result: { content: typeof content } }).result.content;
  expect(JSON.parse(masked[0]?.text ?? "")).toEqual({
    a: "x\n[MASKED_EMAIL]",
    b: "“[MASKED_EMAIL]”",
    c: String.raw`{"d":"\n[MASKED_CC]"}`,
  });
});

test("4.3.1 a number in text that is JSON is found, and replaced by a string", async () => {
  const settings = {
    predefined_entities: [{ entity: "credit_card" }, { entity: "email", mask_with: '"@"' }],
  };
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
    settings,
  });
  const text =
    '{ "card": 4111111111111111, "note": "card: 4111111111111111, bo@example.com", "n": 1.0 }';
  const masked = '{ "card": "[MASKED_CC]", "note": "card: [MASKED_CC], \\"@\\"", "n": 1.0 }';

  const asInput = await guard.evaluate({ payload: { input: text } });
  const asResult = await guard.evaluate({
    payload: { messages: [{ role: "tool", tool_call_id: "c1", content: text }] },
  });
  const alone = await guard.evaluate({ payload: { input: "4111111111111111" } });

  expect(asInput.transformed_payload).toEqual({ input: masked });
  expect(asResult.transformed_payload).toEqual({
    messages: [{ role: "tool", tool_call_id: "c1", content: masked }],
  });
  expect(alone.transformed_payload).toEqual({ input: "[MASKED_CC]" });
});

test("4.3.1 the name of a tool is inspected, and never rewritten", async () => {
  const shared = await kit();
  const [blocks, masks] = [
    await makeGuardWithRules(shared, "data_loss_prevention"),
    await makeGuardWithRules(shared, "data_loss_prevention", { action: "transform" }),
  ];
  const call = (to: string) => ({
    protocol: "mcp",
    payload: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "Mail bo@example.com", arguments: { to } },
    },
  });

  const found = await blocks.evaluate(call("Bo"));
  const masked = await masks.evaluate(call("bo@example.com"));

  expect(found.status).toBe("block");
  expect(masked.transformed_payload).toEqual(call("[MASKED_EMAIL]").payload);
});

test.each<[string, Json]>([
  ["what an MCP tool gives back", { jsonrpc: "2.0", id: 1, result: { tax_id: "bo@example.com" } }],
  ["an MCP error", { jsonrpc: "2.0", id: 1, error: { data: { user: "bo@example.com" } } }],
  ["a form", { jsonrpc: "2.0", id: 1, result: { content: { user: "bo@example.com" } } }],
  ["a document", { documents: [{ id: "d1", data: { user: "bo@example.com" } }] }],
  ["a part", { role: "user", parts: [{ kind: "data", data: { user: "bo@example.com" } }] }],
  ["a template", { prompt: { id: "p1", variables: { user: "bo@example.com" } } }],
])("in %s ids and names are inspected as content", async (_, payload) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });

  const { transformed_payload } = await guard.evaluate({ payload, protocol: "mcp" });

  const masked = JSON.stringify(payload).replace("bo@example.com", "[MASKED_EMAIL]");
  expect(JSON.stringify(transformed_payload)).toBe(masked);
});

test("a member called __proto__ is inspected like any other", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  const reply = await guard.send(`{"payload":{"__proto__":{"input":${JSON.stringify(CARD)}}}}`);

  expect(await reply.json()).toMatchObject({ status: "block" });
});

test("4.3.1 text with any number of matches is masked", async () => {
  const rules = [{ name: "x", type: "keyword", pattern: "x", mask_with: "y" }];
  const settings = { rules };
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
    settings,
  });

  const verdict = await guard.evaluate({ payload: { input: "x ".repeat(1_000_000) } });

  expect(verdict.transformed_payload).toEqual({ input: "y ".repeat(1_000_000) });
});

test("member names are inspected, and never rewritten", async () => {
  const shared = await kit();
  const [blocks, masks] = [
    await makeGuardWithRules(shared, "data_loss_prevention"),
    await makeGuardWithRules(shared, "data_loss_prevention", { action: "transform" }),
  ];
  const params = { name: "pay", arguments: { [CARD]: 1, note: CARD } };
  const body = { payload: { jsonrpc: "2.0", method: "tools/call", params }, protocol: "mcp" };

  const named = await blocks.evaluate({
    ...body,
    payload: { params: { arguments: { [CARD]: 1 } } },
  });
  const masked = await masks.evaluate(body);

  expect(named.status).toBe("block");
  expect(masked.transformed_payload).toMatchObject({
    params: { arguments: { [CARD]: 1, note: "My card is [MASKED_CC], thanks." } },
  });
});

test("long member names in a payload do not make the response exceed 1 MiB", async () => {
  const shared = await kit();
  const name = "k".repeat(2_000_000);
  const finds = await makeGuardWithRules(shared, "data_loss_prevention");
  const denies = await makeGuardWithRules(shared, "tool_permission", {
    settings: { denied_tools: ["k*"] },
  });
  const params = { name, arguments: {} };

  const found = await finds.send({ payload: { [name]: CARD } });
  const denied = await denies.send({ payload: { method: "tools/call", params }, protocol: "mcp" });

  for (const reply of [found, denied]) {
    const text = await reply.text();
    expect(JSON.parse(text).status).toBe("block");
    expect(text.length).toBeLessThan(10_000);
  }
});

test("4.3.1 the tokens of a masked text are removed, and those of other texts are kept", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
    direction: "output",
  });
  const choice = (content: string) => ({
    message: { role: "assistant", content },
    logprobs: { content: [{ token: content.slice(0, 15), logprob: -1 }] },
    token_ids: [4111],
  });
  const item = { content: [{ type: "output_text", text: CARD, logprobs: [{ token: "4111" }] }] };
  const payload = { choices: [choice(CARD), choice("hello")], output: [item], logprobs: true };

  const { transformed_payload } = await guard.evaluate({ payload, direction: "output" });

  expect(JSON.stringify(transformed_payload).match(/4111/g)).toEqual(["4111"]);
  expect(transformed_payload).toMatchObject({
    choices: [{ logprobs: null, token_ids: [] }, choice("hello")],
    output: [{ content: [{ logprobs: [] }] }],
    logprobs: true,
  });
});

test("4.3.2 direction selects the rules, and the default is input", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    direction: "output",
  });

  const unsaid = await guard.evaluate({ payload: { input: CARD } });
  const output = await guard.evaluate({ payload: { input: CARD }, direction: "output" });

  expect([unsaid.status, output.status]).toEqual(["allow", "block"]);
  expect(unsaid.detectors).toEqual({ run: 0, skipped: 0, failed: [], uninspected: [] });
});

test("4.3.3 the name of a tool is read from the payload, without its server, before the attributes", async () => {
  const gate = {
    name: "tool",
    when: { field: "tool.name", op: "eq", value: "tool" },
    action: "block",
  };
  const guard = await makeGuard(await kit(), { gates: [gate] });
  const call = (name: string) => ({
    payload: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: { a: 1 } } },
    protocol: "mcp",
    attributes: { tool: { name: "other" } },
  });
  const shell = { payload: { input: "ls" }, attributes: { tool: { name: "tool" } } };

  const named = await guard.evaluate(call("mcp__srv__tool"));
  const other = await guard.evaluate(call("mcp__tool__srv"));
  const stamped = await guard.evaluate(shell);

  expect([named.status, other.status, stamped.status]).toEqual(["block", "allow", "block"]);
});

test("3.2 without a policy the verdict is allow, without findings", async () => {
  const guard = await makeGuard(await kit(), {}, { default_policy_id: null });

  const verdict = await guard.evaluate({ payload: { input: "hi" } });

  expect(verdict).toMatchObject({ status: "allow", findings: [], policy: null });
});

test("3.1 the most restrictive finding wins: block over transform over report", async () => {
  const shared = await kit();
  const dlp = await makeDetector(shared, "data_loss_prevention");
  const rules = (...actions: string[]) =>
    actions.map((action) => ({ detector_id: dlp.id, action }));
  const statusOf = async (...actions: string[]) => {
    const guard = await makeGuard(shared, { input_rules: rules(...actions) });
    return (await guard.evaluate({ payload: { input: CARD } })).status;
  };

  expect(await statusOf("transform", "report", "block", "ask")).toBe("block");
  expect(await statusOf("transform", "report", "ask")).toBe("ask");
  expect(await statusOf("report", "transform")).toBe("transform");
  expect(await statusOf("report")).toBe("report");
});

test("observe never exceeds report, and names the action it would have taken", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    policy: { mode: "observe" },
  });

  const { status, findings } = await guard.evaluate({ payload: { input: CARD } });

  expect(status).toBe("report");
  expect(findings).toMatchObject([
    { outcome: { action: "report" }, evidence: { would_be: "block" } },
  ]);
});

test("one rule observes while the others enforce", async () => {
  const shared = await kit();
  const dlp = await makeDetector(shared, "data_loss_prevention");
  const guard = await makeGuard(shared, {
    input_rules: [
      { detector_id: dlp.id, action: "block", mode: "observe" },
      { detector_id: dlp.id, action: "transform" },
    ],
  });

  const { status, findings } = await guard.evaluate({ payload: { input: CARD } });

  expect(status).toBe("transform");
  expect(findings.map(({ outcome }) => outcome.action)).toEqual(["report", "transform"]);
});

test.each([
  ["an unknown member", { payload: {}, input: "x" }, "input"],
  ["metadata at the top", { payload: {}, metadata: {} }, "metadata"],
  ["collector_id at the top", { payload: {}, collector_id: "x" }, "collector_id"],
  ["a wrong direction", { payload: {}, direction: "both" }, "direction"],
  ["a wrong protocol", { payload: {}, protocol: "http" }, "protocol"],
  ["no payload", {}, "payload"],
  ["a payload that is text", { payload: "x" }, "payload"],
  ["a payload that is a list", { payload: [] }, "payload"],
  ["a payload that is null", { payload: null }, "payload"],
  ["attributes that are a list", { payload: {}, attributes: [] }, "attributes"],
  ["a body that is a list", [{ payload: {} }], "body"],
  ["a body that is no JSON", "{", "not"],
  ["a member twice", '{"payload":{"input":"a","input":"b"}}', "/payload"],
  ["NUL in an id", { payload: {}, consumer_id: "a\0b" }, "consumer_id"],
])("2.1 %s is a 400 that names the field", async (_, body, named) => {
  const guard = await makeGuard(await kit(), {});

  const reply = await guard.send(body);

  const error = (await reply.json()) as Record<string, string>;
  expect(reply.status).toBe(400);
  expect(Object.keys(error)).toEqual(["error", "trace_id", "request_id"]);
  expect(error.error).toContain(named);
});

test("half of a surrogate pair is evaluated as U+FFFD", async () => {
  const rules = [{ detector_id: (await makeDetector(await kit(), "data_loss_prevention")).id }];
  const input_rules = rules.map((rule) => ({ ...rule, action: "transform" }));
  const guard = await makeGuard(await kit(), { input_rules });

  const reply = await guard.send('{"payload":{"input":"4111 1111 1111 1111 \\ud800"}}');

  expect(await reply.json()).toMatchObject({
    status: "transform",
    transformed_payload: { input: "[MASKED_CC] \ufffd" },
  });
});

test("deep nesting, invalid UTF-8 and a too large body are rejected with the same error format", async () => {
  const guard = await makeGuard(await kit(), {});
  const nested = `{"payload":{"input":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`;
  const big = JSON.stringify({ payload: { input: "x".repeat(17 * 1024 * 1024) } });
  const bytes = new Uint8Array([
    ...Buffer.from('{"payload":{"input":"'),
    0xff,
    ...Buffer.from('"}}'),
  ]);
  const raw = await fetch(`${(await kit()).url}/v1/evaluate`, {
    method: "POST",
    headers: { authorization: `Bearer ${guard.key}` },
    body: bytes,
  });

  expect((await guard.send(nested)).status).toBe(400);
  expect((await guard.send(big)).status).toBe(413);
  expect(raw.status).toBe(400);
});

test("empty strings and null count as absent", async () => {
  const guard = await makeGuard(await kit(), {});
  const blank = { direction: "", protocol: "", session_id: "", consumer_id: "", collector_key: "" };

  const verdict = await guard.evaluate({ payload: { input: "ping" }, ...blank, gateway_id: "" });
  const nothing = await guard.evaluate({ payload: {}, direction: null, attributes: null });

  expect([verdict.status, nothing.status]).toEqual(["allow", "allow"]);
});

test("5.3 a missing and an unknown key are 401; a revoked and an expired key are 403", async () => {
  const shared = await kit();
  const guard = await makeGuard(shared, {});
  const statusWith = async (authorization: string) =>
    (await guard.send({ payload: {} }, { authorization })).status;
  const keys = `/v1/collectors/${guard.collector.id}/keys`;
  const revoked = await shared.make<{ id: string; key: string }>(keys, { name: "revoked" });
  await shared.delete(`${keys}/${revoked.id}`);
  const soon = new Date(Date.now() + 60_000).toISOString();
  const expired = await shared.make<{ id: string; key: string }>(keys, {
    name: "expired",
    expires_at: soon,
  });
  await shared.post(`${keys}/${expired.id}/rotate`, { overlap_s: 0 });

  expect(await statusWith("")).toBe(401);
  expect(await statusWith(guard.key)).toBe(401);
  expect(await statusWith("Bearer pc_unknown")).toBe(401);
  expect(await statusWith(`Bearer ${revoked.key}`)).toBe(403);
  expect(await statusWith(`Bearer ${expired.key}`)).toBe(403);
  expect(await statusWith(`Bearer ${guard.key}`)).toBe(200);
});

test("5.4 a service token requires exactly one of gateway_id and collector_key", async () => {
  const shared = await kit();
  const { id: gateway_id } = await shared.make("/v1/gateways", { name: "guarded gateway" });
  const guard = await makeGuard(shared, {}, { gateway_id });
  const clients = `/v1/collectors/${guard.collector.id}/service-clients`;
  const client = await shared.make<{ id: string; client_secret: string }>(clients, { name: "gw" });
  const form = {
    grant_type: "client_credentials",
    client_id: client.id,
    client_secret: client.client_secret,
  };
  const token = (await (await shared.post("/v1/token", form)).json()) as Record<string, string>;
  const authorization = `Bearer ${token.access_token}`;
  const { collector_key } = guard.collector;
  const statusOf = async (more: object) =>
    (await guard.send({ payload: { input: "x" }, ...more }, { authorization })).status;

  expect(token).toMatchObject({ token_type: "Bearer", expires_in: 900 });
  expect(await statusOf({})).toBe(400);
  expect(await statusOf({ gateway_id, collector_key })).toBe(400);
  expect(await statusOf({ collector_key: "another" })).toBe(400);
  expect(await statusOf({ gateway_id })).toBe(200);
  expect(await statusOf({ collector_key })).toBe(200);
  expect((await shared.post("/v1/token", { ...form, client_secret: "ps_wrong" })).status).toBe(401);
  expect((await shared.post("/v1/token", { ...form, grant_type: "password" })).status).toBe(400);
  await shared.delete(`${clients}/${client.id}`);
  expect(await statusOf({ gateway_id })).toBe(403);
});

test("with a collector key, gateway_id and collector_key must be those of its collector", async () => {
  const guard = await makeGuard(await kit(), {});
  const { collector_key } = guard.collector;

  expect((await guard.send({ payload: {}, collector_key })).status).toBe(200);
  expect((await guard.send({ payload: {}, collector_key: "another" })).status).toBe(400);
});

test("/v1/guard also returns flat findings, and an empty status for allow", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const ask = async (input: string) =>
    (await (await guard.send({ payload: { input } }, {}, "/v1/guard")).json()) as Verdict;

  const clean = await ask("hello");
  const blocked = await ask(CARD);

  expect(String(clean.status)).toBe("");
  expect(blocked.findings).toMatchObject([
    { detection_type: "pii", action: "block", status: "block", detector_id: guard.detector.id },
  ]);
});

test("a batch with an invalid item is rejected with its index, and none is evaluated", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention");

  const reply = await guard.send(
    [{ payload: { input: CARD } }, { payload: { input: "a" }, direction: "up" }],
    {},
    "/v1/evaluate/batch",
  );

  expect(reply.status).toBe(400);
  expect((await reply.json()).error).toStartWith("[1].direction:");
  await Bun.sleep(300);
  const { items } = await (
    await shared.get(`/v1/activity?collector_id=${guard.collector.id}`)
  ).json();
  expect(items).toEqual([]);
});

test("the size of a batch item is its own size", async () => {
  const settings = { max_payload_bytes: 1000 };
  const guard = await makeGuardWithRules(await kit(), "size_limit", { settings });
  const bodies = Array.from({ length: 3 }, () => ({ payload: { input: "a".repeat(500) } }));

  const reply = await guard.send(bodies, {}, "/v1/evaluate/batch");

  expect((await reply.json()).map(({ status }: Verdict) => status)).toEqual([
    "allow",
    "allow",
    "allow",
  ]);
});

test("a batch returns one verdict per item, in order, and rejects a body that is not a list", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });
  const big = `{"payload":{"input":${JSON.stringify(CARD)},"n":12345678901234567890}}`;
  const path = "/v1/evaluate/batch";

  const reply = await guard.send(`[{"payload":{"input":"a"}}, ${big}]`, {}, path);
  const text = await reply.text();

  const verdicts = JSON.parse(text) as Verdict[];
  expect(verdicts.map(({ status }) => status)).toEqual(["allow", "transform"]);
  expect(new Set(verdicts.map(({ request_id }) => request_id)).size).toBe(2);
  expect(text).toContain("12345678901234567890");
  expect((await guard.send({ payload: {} }, {}, path)).status).toBe(400);
  expect((await guard.send([], {}, path)).status).toBe(400);
  expect((await guard.send([{ payload: {} }, { payload: 1 }], {}, path)).status).toBe(400);
});

test("the trace of the caller is continued, and both ids are in the response headers", async () => {
  const guard = await makeGuard(await kit(), {});
  const trace = "0af7651916cd43dd8448eb211c80319c";

  const reply = await guard.send({ payload: {} }, { "x-trace-id": trace });

  const verdict = (await reply.json()) as Verdict;
  expect(verdict.trace_id).toBe(trace);
  expect(reply.headers.get("x-ag-trace-id")).toBe(trace);
  expect(reply.headers.get("x-request-id")).toBe(verdict.request_id);
});

test("an override applies to its consumer_id, and the policy of the collector to others", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention");
  const lenient = await makePolicy(shared, {});
  const place = `/v1/collectors/${guard.collector.id}/overrides/${encodeURIComponent("ana@x.io/1")}`;
  const statusFor = async (consumer_id: string) =>
    (await guard.evaluate({ payload: { input: CARD }, consumer_id })).status;

  expect((await shared.put(place, { policy_id: lenient.id })).status).toBe(200);
  expect([await statusFor("ana@x.io/1"), await statusFor("bo")]).toEqual(["allow", "block"]);
  expect((await shared.delete(place)).status).toBe(204);
  expect(await statusFor("ana@x.io/1")).toBe("block");
});

test("an administrator token evaluates for a named collector, and a playground call records no event", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention");
  const { collector_key, id } = guard.collector;
  const owner = { authorization: `Bearer ${OWNER_TOKEN}`, "x-ag-playground": "1" };
  const hidden = await guard.send({ payload: { input: CARD }, collector_key }, owner);
  const tried = await guard.send({ payload: { input: CARD } }, { "x-ag-playground": "1" });

  const listed = await (await shared.get(`/v1/activity?collector_id=${id}`)).json();

  expect([hidden.status, tried.status]).toEqual([200, 200]);
  // Only the collector's own call is there: its callers cannot hide.
  expect((listed as { items: unknown[] }).items).toHaveLength(1);
});

test("gates run first: skip ends them silently, report continues, block skips the detectors", async () => {
  const shared = await kit();
  const dlp = await makeDetector(shared, "data_loss_prevention");
  const when = (value: string) => ({ field: "source.application", op: "eq", value });
  const guard = await makeGuard(shared, {
    gates: [
      { name: "let", when: when("trusted"), action: "skip" },
      { name: "note", when: null, action: "report" },
      { name: "stop", when: when("banned"), action: "block" },
    ],
    input_rules: [{ detector_id: dlp.id, action: "report" }],
  });
  const from = (application: string) =>
    guard.evaluate({ payload: { input: CARD }, attributes: { source: { application } } });

  const trusted = await from("trusted");
  const other = await from("other");
  const banned = await from("banned");

  expect(typesOf(trusted)).toEqual(["pii"]);
  expect(typesOf(other)).toEqual(["gate_report", "pii"]);
  expect(typesOf(banned)).toEqual(["gate_report", "gate_block"]);
  expect([banned.status, banned.detectors.skipped]).toEqual(["block", 1]);
});

test("a gate transforms with its configured mask", async () => {
  const mask = { predefined_entities: [{ entity: "email", enabled: true }] };
  const gate = { name: "mask", when: null, action: "transform", mask };
  const guard = await makeGuard(await kit(), { gates: [gate] });

  const verdict = await guard.evaluate({ payload: { input: "Write to ana@example.com" } });
  const clean = await guard.evaluate({ payload: { input: "Write to no one" } });

  expect(verdict.transformed_payload).toEqual({ input: "Write to [MASKED_EMAIL]" });
  expect(clean.status).toBe("allow");
});
