/** Traffic of a guarded consumer that cannot be evaluated: the fail mode of the collector decides. */
import { expect, test } from "bun:test";
import { type Draft, makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import type { UpstreamResponse } from "../kit/upstream.ts";

const kitOf = sharedKit({ settings: { GUARD_BODY_MIB: "1" } });
const CHAT = "/v1/chat/completions";
const CHAT_BODY = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const OPEN = { collector: { fail_mode: "open" } };
const JSON_TYPE = { "content-type": "application/json" };

/** A rule whose detector fails. */
async function failingRule() {
  const settings = { url: "http://127.0.0.1:9/", allow_private: true };
  const { id } = await makeDetector(await kitOf(), "http", settings);
  return [{ detector_id: id, action: "block" }];
}

async function sendChat(policy: Draft, options: object) {
  await using it = await makeGuardedConsumer(await kitOf(), policy, options);
  const reply = await it.post(CHAT, CHAT_BODY);
  const trace_id = reply.headers.get("x-ag-trace-id");
  return {
    status: reply.status,
    headers: reply.headers,
    text: await reply.text(),
    sent: it.upstream.hits.length,
    event: await it.event(trace_id),
    evaluations: await it.evaluations(trace_id),
  };
}

test("a request whose detector fails is a 503 if the collector is fail-closed, and passes if open", async () => {
  const policy = { input_rules: await failingRule() };

  const closed = await sendChat(policy, {});
  const open = await sendChat(policy, OPEN);

  expect(closed).toMatchObject({ status: 503, sent: 0, evaluations: [{ status: "error" }] });
  expect(JSON.parse(closed.text)).toMatchObject({ error: { code: "guard_unavailable" } });
  expect(closed.event).toMatchObject({ status: 503, error_code: "guard_unavailable" });
  expect(closed.event.error_message).toMatch(
    /could not evaluate the request: The detector "http.*" failed/,
  );
  expect(open).toMatchObject({ status: 200, sent: 1 });
  expect(open.evaluations[0]).toMatchObject({ detectors: { failed: [{}] } });
});

test("a response whose detector fails is not returned if the collector is fail-closed", async () => {
  const policy = { output_rules: await failingRule() };
  const choices = [{ message: { role: "assistant", content: "Hi" } }];
  const script = { body: { choices, usage: { prompt_tokens: 3, completion_tokens: 4 } } };

  const closed = await sendChat(policy, { script });
  const open = await sendChat(policy, { script, ...OPEN });

  expect(closed).toMatchObject({ status: 503, sent: 1 });
  expect(closed.event).toMatchObject({ error_code: "guard_unavailable", input_tokens: 3 });
  expect(open.status).toBe(200);
});

const gzip = Buffer.from(Bun.gzipSync(Buffer.from('{"choices":[]}')));
const UNREADABLE: [string, UpstreamResponse][] = [
  ["is not valid JSON", { headers: JSON_TYPE, body: '{"choices":[' }],
  ["is ambiguous JSON", { headers: JSON_TYPE, body: '{"id":1,"id":2}' }],
  [
    "is large and ambiguous JSON",
    { headers: JSON_TYPE, body: `{"a":"${"x".repeat(100_000)}","b":{"id":1,"id":2}}` },
  ],
  ["is compressed", { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body: gzip }],
  ["is not text", { headers: { "content-type": "text/plain" }, body: Buffer.from([0xff, 0xfe]) }],
  [
    "exceeds GUARD_BODY_MIB",
    { headers: JSON_TYPE, chunks: ['{"a":"', "x".repeat(700_000), "x".repeat(700_000), '"}'] },
  ],
];

test.each(UNREADABLE)("a response that %s is never passed without a record", async (_, script) => {
  const closed = await sendChat({}, { script });
  const open = await sendChat({}, { script, ...OPEN });

  const unread = { direction: "output", detectors: { uninspected: [{ reason: "unreadable" }] } };
  expect(closed).toMatchObject({ status: 503, evaluations: [{}, unread] });
  expect(JSON.parse(closed.text)).toMatchObject({ error: { code: "guard_unavailable" } });
  expect(open).toMatchObject({ status: 200, evaluations: [{}, unread] });
  const { body, chunks = [] } = script;
  if (chunks.length > 0) expect(open.text).toBe(chunks.join(""));
  else if (typeof body === "string") expect(open.text).toBe(body);
});

test("a request of more than 300,000 values is rejected: parsing it would block others", async () => {
  await using it = await makeGuardedConsumer(await kitOf(), { input_rules: await failingRule() });

  const reply = await it.post(CHAT, { ...CHAT_BODY, a: Array(300_001).fill(0) });

  expect(reply.status).toBe(400);
  expect(it.upstream.hits).toHaveLength(0);
});

test("a request that exceeds GUARD_BODY_MIB passes only if the collector is fail-open", async () => {
  const kit = await kitOf();
  const body = { ...CHAT_BODY, padding: "x".repeat(1024 * 1024) };
  await using closed = await makeGuardedConsumer(kit, {});
  await using open = await makeGuardedConsumer(kit, {}, OPEN);

  const refused = await closed.post(CHAT, body);
  const passed = await open.post(CHAT, body);

  expect([refused.status, passed.status]).toEqual([503, 200]);
  expect(closed.upstream.hits).toEqual([]);
  const [recorded] = await open.evaluations(passed.headers.get("x-ag-trace-id"));
  expect(recorded).toMatchObject({ detectors: { uninspected: [{ reason: "unreadable" }] } });
});

const toEvent = (data: { type: string; [member: string]: unknown }, name = data.type) =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const toDelta = (delta: object, name?: string) =>
  toEvent({ type: "content_block_delta", index: 0, delta }, name);

test.each([
  ["arguments", "data_loss_prevention", "partial_json", ['{"amount":', "100", "}"]],
  ["text", "data_loss_prevention", "text", ["You owe ", "100", " dollars."]],
  ["text of which a rule needs all", "code_sanitation", "text", ["You owe ", "100", " dollars."]],
])(
  "a stream that becomes unreadable passes with its %s once if the collector is fail-open",
  async (...row) => {
    const [, kind, member, [first, second, third]] = row;
    const kit = await kitOf();
    const { id } = await makeDetector(kit, kind);
    const type = member === "text" ? "text_delta" : "input_json_delta";
    const block =
      member === "text"
        ? { type: "text", text: "" }
        : { type: "tool_use", id: "t", name: "pay", input: {} };
    const message = {
      id: "m",
      type: "message",
      role: "assistant",
      content: [],
      model: "m",
      usage: {},
    };
    const chunks = [
      toEvent({ type: "message_start", message }),
      toEvent({ type: "content_block_start", index: 0, content_block: block }),
      toDelta({ type, [member]: first }),
      toDelta({ type, [member]: second }, "message"),
      toDelta({ type, [member]: third }),
      toEvent({ type: "message_stop" }),
    ];
    const headers = { "content-type": "text/event-stream" };
    const options = { script: { headers, chunks }, attach: { provider: "anthropic" }, ...OPEN };
    const output_rules = [{ detector_id: id, action: "block" }];
    await using it = await makeGuardedConsumer(kit, { output_rules }, options);

    const reply = await it.post("/v1/messages", { ...CHAT_BODY, max_tokens: 9, stream: true });

    const sent = [...(await reply.text()).matchAll(/^data: (.*"delta".*)$/gm)];
    const texts = sent.map(([, data = ""]) => JSON.parse(data).delta[member]);
    expect(texts.join("")).toBe([first, second, third].join(""));
  },
);

test("an unreadable response is blocked by a rule for uninspected content", async () => {
  const { id } = await makeDetector(await kitOf(), "uninspected", { reasons: ["unreadable"] });
  const output_rules = [{ detector_id: id, action: "block" }];
  const script = { headers: JSON_TYPE, body: "{" };

  const open = await sendChat({ output_rules }, { script, ...OPEN });

  expect(open).toMatchObject({ status: 403, event: { error_code: "guard_blocked" } });
});

test("a response that is a JSON array is still JSON after it is masked", async () => {
  const { id } = await makeDetector(await kitOf(), "data_loss_prevention", {
    predefined_entities: [{ entity: "email", mask_with: '"mail"' }],
  });
  const output_rules = [{ detector_id: id, action: "transform" }];
  const body = '[{"error": {"message": "Unknown user jane.doe@example.com", "code": 4.0}} ]';

  const reply = await sendChat({ output_rules }, { script: { headers: JSON_TYPE, body } });

  expect(reply.text).toBe('[{"error": {"message": "Unknown user \\"mail\\"", "code": 4.0}}]');
});

test("an error of the upstream keeps its status, and its text is evaluated", async () => {
  const { id } = await makeDetector(await kitOf(), "data_loss_prevention");
  const output_rules = [{ detector_id: id, action: "transform" }];
  const body = { error: { message: "Unknown user jane.doe@example.com" } };
  const headers = { "retry-after": "7" };

  const json = await sendChat({ output_rules }, { script: { status: 429, headers, body } });
  const page = { status: 500, headers: { "content-type": "text/html" } };
  const html = await sendChat(
    { output_rules },
    { script: { ...page, body: "<p>Mail jane.doe@example.com</p>" } },
  );

  expect(json).toMatchObject({ status: 429 });
  expect(json.headers.get("retry-after")).toBe("7");
  expect(json.text).toContain("Unknown user");
  expect(html).toMatchObject({ status: 500 });
  expect(html.text).toContain("<p>Mail");
  expect(json.text + html.text).not.toContain("jane.doe");
});
