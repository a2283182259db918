/** LiteLLM's generic guardrail API: the proxy's own JSON in, its own JSON out. */
import { expect, test } from "bun:test";
import { makeGuard, makeGuardWithRules, type TestGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const PATH = "/beta/litellm_basic_guardrail_api";
const CARD = "My card is 4111 1111 1111 1111.";
const MASKED = "My card is [MASKED_CC].";

/** As LiteLLM 1.106 sends it; members without a value are null. */
const body = (more: object) => ({
  input_type: "request",
  litellm_call_id: "call-1",
  litellm_trace_id: "trace-1",
  structured_messages: null,
  images: null,
  tools: null,
  texts: [],
  request_data: { user_api_key_end_user_id: "ana", user_api_key_team_alias: "red" },
  request_headers: { "user-agent": "[present]" },
  litellm_version: "1.106.2",
  additional_provider_specific_params: {},
  tool_calls: null,
  model: "gpt-4o",
  ...more,
});

const ask = async (guard: TestGuard, more: object) => {
  const reply = await guard.send(body(more), { authorization: "", "x-api-key": guard.key }, PATH);
  expect(reply.status).toBe(200);
  return await reply.json();
};

test("harmless texts are allowed, and the key may be in either header", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });

  expect(await ask(guard, { texts: ["hello"] })).toMatchObject({ action: "NONE" });
  const bearer = await guard.send(body({ texts: ["hello"] }), {}, PATH);
  expect(await bearer.json()).toMatchObject({ action: "NONE" });
  const wrong = await guard.send(body({}), { authorization: "", "x-api-key": "pc_wrong" }, PATH);
  expect(wrong.status).toBe(401);
});

test("masks are returned in the texts and the messages", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: CARD },
  ];

  const reply = await ask(guard, { texts: ["Be brief.", CARD], structured_messages: messages });

  expect(reply).toMatchObject({
    action: "GUARDRAIL_INTERVENED",
    texts: ["Be brief.", MASKED],
    structured_messages: [messages[0], { role: "user", content: MASKED }],
  });
  expect(await ask(guard, { texts: [CARD] })).not.toHaveProperty("structured_messages");
});

test("LiteLLM holds back the end of a stream, which later text may mask", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    direction: "output",
    action: "transform",
  });

  const first = await ask(guard, { texts: ["My card is 4111 1111", ""], input_type: "response" });
  const whole = await ask(guard, { texts: [CARD, ""], input_type: "response" });
  const request = await ask(guard, { texts: ["hello"] });

  expect(first).toEqual({ action: "NONE", stream_holdback_chars: [256, 256] });
  expect(whole).toMatchObject({ texts: [MASKED, ""], stream_holdback_chars: [256, 256] });
  expect(request).toEqual({ action: "NONE" });
});

test("of many texts that are not strings, the first one is reported", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const texts = ["hello", ...Array(100_000).fill(1)];

  const reply = await guard.send(body({ texts }), {}, PATH);

  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ error: "texts[1]: must be a string" });
});

test("a response is evaluated by output rules", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    direction: "output",
  });

  const request = await ask(guard, { texts: [CARD] });
  const response = await ask(guard, { texts: [CARD], input_type: "response" });

  expect([request.action, response.action]).toEqual(["NONE", "BLOCKED"]);
  expect(response.blocked_reason).toContain("pii");
  expect(JSON.stringify(response)).not.toContain("4111");
});

test("ask blocks and explains; images, tools and tool calls are inspected", async () => {
  const shared = await kit();
  const gate = {
    name: "Payments",
    action: "ask",
    when: { field: "model.name", op: "eq", value: "gpt-4o" },
  };
  const asking = await makeGuard(shared, { gates: [gate] });
  const blocking = await makeGuardWithRules(shared, "data_loss_prevention");
  const masking = await makeGuardWithRules(shared, "data_loss_prevention", { action: "transform" });
  const call = {
    id: "1",
    type: "function",
    function: { name: "pay", arguments: `{"to":"${CARD}"}` },
  };
  const tool = { type: "function", function: { name: "pay", description: CARD } };
  const moderation = await makeGuardWithRules(shared, "prompt_moderation", {
    settings: { keywords: ["my card"] },
  });
  const image = `data:text/plain;base64,${btoa(CARD)}`;

  const blocked = await ask(asking, { texts: ["pay"] });

  expect(blocked).toMatchObject({ action: "BLOCKED" });
  expect(blocked.blocked_reason).toMatch(/approval/);
  expect(blocked.blocked_reason).toContain("Payments");
  expect(await ask(blocking, { tool_calls: [call] })).toMatchObject({ action: "BLOCKED" });
  expect(await ask(blocking, { images: [image] })).toMatchObject({ action: "BLOCKED" });
  expect(await ask(moderation, { tools: [tool] })).toMatchObject({ action: "BLOCKED" });
  // LiteLLM takes no rewritten tool calls: what cannot be masked there must not pass.
  expect(await ask(masking, { tool_calls: [call] })).toMatchObject({ action: "BLOCKED" });
  expect(await ask(masking, { images: [image] })).toMatchObject({ action: "BLOCKED" });
  const link = { images: ["https://example.com/a.png"], texts: [CARD] };
  expect(await ask(masking, link)).toMatchObject({ action: "GUARDRAIL_INTERVENED" });
});

test("Activity has the conversation, the user and the application", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention");

  await ask(guard, { texts: ["hello"] });

  const { items } = await (
    await shared.get(`/v1/activity?collector_id=${guard.collector.id}`)
  ).json();
  expect(items).toMatchObject([
    {
      session_id: "trace-1",
      consumer_id: "ana",
      application: "litellm",
      model: "gpt-4o",
      protocol: "llm",
      direction: "input",
      attributes: { "consumer.tag": "red" },
    },
  ]);
});

test("the slug beta is reserved for new consumers; one that has it keeps it", async () => {
  const shared = await kit();
  const gateway = await shared.make("/v1/gateways", { name: "old" });
  const path = `/v1/gateways/${gateway.id}/consumers`;
  const consumer = await shared.make(path, { name: "old", slug: "alpha" });
  const refused = await shared.post(path, { name: "new", slug: "beta" });
  await shared.db.run("UPDATE consumers SET slug = 'beta' WHERE id = $1", consumer.id);

  const saved = await shared.put(`${path}/${consumer.id}`, { name: "kept", slug: "beta" });
  const { key } = await shared.make<{ key: string }>(`${path}/${consumer.id}/keys`, { name: "k" });
  const models = await fetch(`${shared.url}/beta/v1/models`, { headers: { "x-ag-api-key": key } });

  expect([refused.status, saved.status, models.status]).toEqual([422, 200, 200]);
});

test("an approval covers the numbers of a request digit by digit", async () => {
  const guard = await makeGuard(await kit(), {
    gates: [{ name: "all", when: null, action: "ask" }],
  });
  const [SMALL, LARGE] = ["12345678901234567", "12345678901234568"];
  /** Numbers of a message, of a tool call and of an attribute. */
  const call = (numbers: readonly string[], approval_id = "") => {
    const [input, args, attribute] = numbers;
    const messages = `[{"role":"assistant","content":[{"type":"tool_use","name":"pay","input":{"account":${input}}}]}]`;
    const tool = `{"name":"pay","arguments":{"account":${attribute}}}`;
    return `{"input_type":"request","texts":["go"],"structured_messages":${messages},"tool_calls":[{"account":${args}}],"additional_provider_specific_params":{"tool":${tool},"approval_id":"${approval_id}"}}`;
  };
  const send = async (text: string) => await (await guard.send(text, {}, PATH)).json();
  const approved = [SMALL, SMALL, SMALL];
  const { blocked_reason } = await send(call(approved));
  const [approval_id = ""] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(blocked_reason) ?? [];
  await (await kit()).post(`/v1/approvals/${approval_id}/decide`, { decision: "approved" });

  const actions: string[] = [];
  for (const numbers of [approved, ...approved.map((_, at) => approved.with(at, LARGE))]) {
    actions.push((await send(call(numbers, approval_id))).action);
  }

  expect(actions).toEqual(["NONE", "BLOCKED", "BLOCKED", "BLOCKED"]);
});
