/** Requests and complete responses of a guarded consumer: what is blocked, masked, recorded and returned. */
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { readMetrics } from "../kit/metrics.ts";

const kitOf = sharedKit();
const CHAT = "/v1/chat/completions";
const CARD = "4111 1111 1111 1111";
const MAIL = "jane.doe@example.com";
const USAGE = { prompt_tokens: 7, completion_tokens: 5 };

const chat = (content: string) => ({ model: "gpt-4o", messages: [{ role: "user", content }] });
const completion = (content: string) => ({
  id: "c1",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: USAGE,
});

/** One rule with the detector of personal data. */
async function personalData(kit: Kit, action: string) {
  const { id } = await makeDetector(kit, "data_loss_prevention");
  return [{ detector_id: id, action }];
}

test("a masked request keeps every other byte of the client's", async () => {
  const kit = await kitOf();
  const input_rules = await personalData(kit, "transform");
  await using it = await makeGuardedConsumer(kit, { input_rules });
  const body = `{ "model":"gpt-4o" ,"temperature":1.0,"messages":[{"role":"user","content":"Mail ${MAIL}, \\u00e9"}] }`;

  const reply = await it.post(CHAT, body);

  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-ag-guard")).toBe("transform");
  const sent = it.upstream.hits[0]?.body.toString() ?? "";
  expect(sent).not.toContain(MAIL);
  expect(sent).toStartWith('{ "model":"gpt-4o" ,"temperature":1.0,"messages":[{"role":"user",');
  expect(it.upstream.hits[0]?.headers["content-length"]).toBe(`${Buffer.byteLength(sent)}`);
});

test("a blocked request is not sent upstream, and the error names finding types and the place only", async () => {
  const kit = await kitOf();
  const input_rules = await personalData(kit, "block");
  await using it = await makeGuardedConsumer(kit, { input_rules });

  const reply = await it.post(CHAT, chat(`Card ${CARD}`));

  const text = await reply.text();
  const trace_id = reply.headers.get("x-ag-trace-id");
  expect(reply.status).toBe(403);
  expect(JSON.parse(text)).toMatchObject({
    error: {
      code: "guard_blocked",
      type: "permission_error",
      message: `The policy blocks this request (pii at /messages/0/content). Trace ${trace_id}.`,
    },
    trace_id,
  });
  expect(text).not.toContain("4111");
  expect(reply.headers.get("x-ag-guard")).toBe("block");
  expect(reply.headers.get("x-should-retry")).toBe("false");
  expect(it.upstream.hits).toEqual([]);
  expect(await it.event(trace_id)).toMatchObject({ status: 403, error_code: "guard_blocked" });
});

test("the error of a blocked request ends the place before a name that is text", async () => {
  const kit = await kitOf();
  const input_rules = await personalData(kit, "block");
  await using it = await makeGuardedConsumer(kit, { input_rules });
  const parameters = { type: "object", properties: { [`Card ${CARD}`]: { type: "string" } } };
  const tools = [{ type: "function", function: { name: "pay", parameters } }];

  const reply = await it.post(CHAT, { ...chat("Hello"), tools });

  expect(reply.status).toBe(403);
  expect(await reply.text()).toContain("(pii at /tools/0/function/parameters/properties/…). Trace");
});

test("a masked response is sent with its own length, and the verdict is that of both halves", async () => {
  const kit = await kitOf();
  const output_rules = await personalData(kit, "transform");
  const script = { body: completion(`Write to ${MAIL}`) };
  await using it = await makeGuardedConsumer(kit, { output_rules }, { script });

  const reply = await it.post(CHAT, chat("Who is Jane?"));

  const text = await reply.text();
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-length")).toBe(`${Buffer.byteLength(text)}`);
  expect(reply.headers.get("x-ag-guard")).toBe("transform");
  expect(text).not.toContain(MAIL);
  expect(JSON.parse(text)).toMatchObject({ id: "c1", usage: USAGE });
});

test("a blocked response is not returned, and its usage is recorded", async () => {
  const kit = await kitOf();
  const output_rules = await personalData(kit, "block");
  const script = { body: completion(`Write to ${MAIL}`) };
  await using it = await makeGuardedConsumer(kit, { output_rules }, { script });

  const reply = await it.post(CHAT, chat("Who is Jane?"));

  const text = await reply.text();
  expect(reply.status).toBe(403);
  expect(text).toContain("guard_blocked");
  expect(text).not.toContain(MAIL);
  expect(reply.headers.get("x-ag-guard")).toBe("block");
  expect(await it.event(reply.headers.get("x-ag-trace-id"))).toMatchObject({
    status: 403,
    error_code: "guard_blocked",
    registry_id: it.registries[0]?.id,
    input_tokens: 7,
    output_tokens: 5,
  });
});

test("the request event and both evaluations share a trace id", async () => {
  const kit = await kitOf();
  await using it = await makeGuardedConsumer(kit, {}, { script: { body: completion("Hi") } });

  const reply = await it.post(CHAT, chat("Hello"), { "x-session-id": "s1" });

  const trace_id = reply.headers.get("x-ag-trace-id");
  expect(reply.headers.get("x-ag-guard")).toBe("allow");
  expect(await it.event(trace_id)).toMatchObject({ trace_id, status: 200 });
  const about = {
    trace_id,
    gateway_id: it.gateway.id,
    consumer_id: it.id,
    session_id: `${it.slug}/s1`,
    protocol: "llm",
    model: "gpt-4o",
    status: "allow",
    attributes: { "model.provider": "openai", "consumer.type": "consumer" },
  };
  expect(await it.evaluations(trace_id)).toMatchObject([
    { ...about, direction: "input" },
    { ...about, direction: "output" },
  ]);
});

test("on /v1/messages a block is an error in the Anthropic format", async () => {
  const kit = await kitOf();
  const input_rules = await personalData(kit, "block");
  const attach = { provider: "anthropic" };
  await using it = await makeGuardedConsumer(kit, { input_rules }, { attach });

  const reply = await it.post("/v1/messages", { ...chat(`Card ${CARD}`), max_tokens: 9 });

  expect(reply.status).toBe(403);
  expect(await reply.json()).toMatchObject({
    type: "error",
    error: { type: "permission_error", code: "guard_blocked" },
  });
  expect(it.upstream.hits).toEqual([]);
});

/** The body of a request whose tool has a description twice in its schema. */
const withTool = (first: string, last: string, padding = "") =>
  `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi${padding}"}],"tools":[{"type":"function","function":{"name":"pay","parameters":{"type":"object","description":"${first}","description":"${last}"}}}]}`;

test.each([
  ["small", ""],
  ["evaluated in a worker", " and so on".repeat(10_000)],
])(
  "of a key that occurs twice, only the last value is evaluated and sent: %s",
  async (_, padding) => {
    const kit = await kitOf();
    const input_rules = await personalData(kit, "transform");
    await using it = await makeGuardedConsumer(kit, { input_rules });

    const first = await it.post(CHAT, withTool(`Card ${CARD}`, "Pays", padding));
    const last = await it.post(CHAT, withTool("Pays", `Card ${CARD}`, padding));

    const sent = it.upstream.hits.map(({ body }) => body.toString());
    expect([first, last].map((reply) => reply.headers.get("x-ag-guard"))).toEqual([
      "allow",
      "transform",
    ]);
    expect(sent[0]).toEndWith('"parameters":{"type":"object","description":"Pays"}}}]}');
    expect(sent[1]).toEndWith(
      '"parameters":{"type":"object","description":"Card [MASKED_CC]"}}}]}',
    );
  },
);

test("of messages that occur twice, a blocked one among the last is found", async () => {
  const kit = await kitOf();
  const input_rules = await personalData(kit, "block");
  await using it = await makeGuardedConsumer(kit, { input_rules });
  const [message] = chat(`Card ${CARD}`).messages;
  const messages = JSON.stringify([message]);

  const reply = await it.post(CHAT, `{"model":"gpt-4o","messages":[],"messages":${messages}}`);

  expect(reply.status).toBe(403);
  expect(it.upstream.hits).toEqual([]);
});

test.each([
  ["small", ""],
  ["evaluated in a worker", " and so on".repeat(10_000)],
])("half of a surrogate pair is evaluated and sent as U+FFFD: %s", async (_, padding) => {
  const kit = await kitOf();
  const input_rules = await personalData(kit, "transform");
  const collector = { content_storage: "full" };
  await using it = await makeGuardedConsumer(kit, { input_rules }, { collector });
  const send = (content: string) =>
    it.post(
      CHAT,
      `{"model":"gpt-4o","messages":[{"role":"user","content":"${content}${padding}"}]}`,
    );

  const plain = await send("cut \\ud83d");
  const masked = await send(`Card ${CARD} \\ud83d`);

  const sent = it.upstream.hits.map(({ body }) => body.toString());
  expect([plain.status, masked.status]).toEqual([200, 200]);
  expect(sent[0]).toContain('"content":"cut \\ufffd');
  expect(sent[1]).toContain('"content":"Card [MASKED_CC] \ufffd');
  const [input] = await it.evaluations(masked.headers.get("x-ag-trace-id"));
  expect(input?.status).toBe("transform");
});

test("text beside an image in a data URL is masked, and the image is listed and sent as it is", async () => {
  const kit = await kitOf();
  const input_rules = await personalData(kit, "transform");
  await using it = await makeGuardedConsumer(kit, { input_rules });
  const image = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), randomBytes(100_000)]);
  const write = (card: string) =>
    `Card ${card} ![x](data:image/png;base64,${image.toString("base64")}) and ${card}.`;

  const reply = await it.post(CHAT, chat(write(CARD)));

  const sent = JSON.parse(it.upstream.hits[0]?.body.toString() ?? "{}");
  const [input] = await it.evaluations(reply.headers.get("x-ag-trace-id"));
  expect(sent.messages[0].content).toBe(write("[MASKED_CC]"));
  expect(input).toMatchObject({
    detectors: { uninspected: [{ pointer: "/messages/0/content", reason: "media" }] },
  });
});

test("a request that routing rejects is not evaluated", async () => {
  const kit = await kitOf();
  const attach = { models: { allowed: ["gpt-4o"] } };
  await using it = await makeGuardedConsumer(kit, {}, { attach });

  const reply = await it.post(CHAT, { ...chat("Hello"), model: "other" });

  expect(reply.status).toBe(403);
  expect(reply.headers.get("x-ag-guard")).toBeNull();
  expect(await it.evaluations(reply.headers.get("x-ag-trace-id"))).toEqual([]);
});

test("each direction can be turned off, and a consumer can be exempt", async () => {
  const kit = await kitOf();
  const rules = await personalData(kit, "block");
  const script = { body: completion(`Write to ${MAIL}`) };
  const policy = { input_rules: rules, output_rules: rules };
  const statusWith = async (options: object, content: string) => {
    await using it = await makeGuardedConsumer(kit, policy, { script, ...options });
    return (await it.post(CHAT, chat(content))).status;
  };

  const withoutOutput = { guard: { llm: { output: false } } };
  const withoutInput = { guard: { llm: { input: false, output: false } } };
  expect(await statusWith(withoutOutput, "Hello")).toBe(200);
  expect(await statusWith(withoutOutput, `Card ${CARD}`)).toBe(403);
  expect(await statusWith(withoutInput, `Card ${CARD}`)).toBe(200);
  expect(await statusWith({ consumer: { guard: { off: true } } }, `Card ${CARD}`)).toBe(200);
});

test("metrics count verdicts by direction", async () => {
  const kit = await kitOf();
  const output_rules = await personalData(kit, "block");
  const script = { body: completion(`Write to ${MAIL}`) };
  await using it = await makeGuardedConsumer(kit, { output_rules }, { script });
  const read = async (labels: string) =>
    (await readMetrics(kit.url)).get(`portcullis_evaluations_total{${labels}}`) ?? 0;
  const allowed = await read('direction="input",status="allow"');
  const blocked = await read('direction="output",status="block"');

  await it.post(CHAT, chat("Who is Jane?"));

  expect(await read('direction="input",status="allow"')).toBe(allowed + 1);
  expect(await read('direction="output",status="block"')).toBe(blocked + 1);
});

test("allowed traffic is not logged; what the guard changes or blocks is", async () => {
  const kit = await kitOf();
  const input_rules = await personalData(kit, "block");
  await using it = await makeGuardedConsumer(kit, { input_rules });
  const linesOf = (reply: Response) =>
    kit.lines
      .map((line): { event: string; trace_id?: string; status?: unknown } => JSON.parse(line))
      .filter(({ trace_id }) => trace_id === reply.headers.get("x-ag-trace-id"));

  const allowed = await it.post(CHAT, chat("Good morning"));
  const blocked = await it.post(CHAT, chat(`Card ${CARD}`));

  expect([allowed.status, blocked.status]).toEqual([200, 403]);
  expect(linesOf(allowed)).toEqual([]);
  expect(linesOf(blocked)).toContainEqual(
    expect.objectContaining({ event: "evaluation", status: "block" }),
  );
});
