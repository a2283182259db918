/** Events of requests whose response streamed, broke off, was abandoned, or came from the second registry. */
import { expect, test } from "bun:test";
import { type Consumer, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const CHAT = "/v1/chat/completions";
const EVENTS = { "content-type": "text/event-stream" };
const DELTA = 'data: {"choices":[{"delta":{"content":"a"}}],"usage":null}\n\n';
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n';

async function setUp(...scripts: Script[]) {
  const upstreams = scripts.map(startUpstream);
  const attach = upstreams.map(({ url }) => ({ provider: "openai", url }));
  const consumer = await makeConsumer(await kit(), attach);
  return {
    ...consumer,
    async [Symbol.asyncDispose]() {
      for (const upstream of upstreams) await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Waits for the event, because events are written in batches. */
async function eventOf(one: Consumer, reply: Response): Promise<Record<string, unknown>> {
  const path = `/v1/gateways/${one.gateway.id}/requests?trace_id=${reply.headers.get("x-ag-trace-id")}`;
  for (let tries = 0; tries < 60; tries++) {
    const { items } = (await (await (await kit()).get(path)).json()) as {
      items: Record<string, unknown>[];
    };
    if (items[0]) return items[0];
    await Bun.sleep(50);
  }
  throw new Error("The event did not come.");
}

test("a stream is recorded at its end, with the tokens of its last events", async () => {
  const chunks = [DELTA, 500, DELTA.repeat(500), USAGE, DELTA, "data: [DONE]\n\n"];
  await using one = await setUp({ headers: EVENTS, chunks });

  const reply = await one.post(CHAT, { model: "m", stream: true });
  const text = await reply.text();

  const event = await eventOf(one, reply);
  expect(event).toMatchObject({
    status: 200,
    input_tokens: 7,
    output_tokens: 2,
    response_bytes: text.length,
    request_bytes: '{"model":"m","stream":true}'.length,
    error_code: null,
  });
  expect(Number(event.total_ms) - Number(event.ttfb_ms)).toBeGreaterThan(50);
});

test("a stream that broke off is recorded with its error", async () => {
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA, 30], ending: "reset" });

  const reply = await one.post(CHAT, { model: "m", stream: true });
  await reply.text();

  expect(await eventOf(one, reply)).toMatchObject({ status: 200, error_code: "upstream_failed" });
});

test("a client that disconnected is recorded as client_closed", async () => {
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA], ending: "hang" });
  const leave = new AbortController();

  const reply = await one.call(CHAT, {
    method: "POST",
    body: '{"model":"m"}',
    signal: leave.signal,
  });
  await reply.body?.getReader().read();
  leave.abort();

  expect(await eventOf(one, reply)).toMatchObject({ error_code: "client_closed" });
});

test("every attempt is recorded", async () => {
  await using one = await setUp({ status: 503 }, { body: { ok: true } });

  const reply = await one.post(CHAT, { model: "m" });

  expect(await eventOf(one, reply)).toMatchObject({
    registry_id: one.registries[1]?.id,
    attempts: [
      { registry_id: one.registries[0]?.id, status: 503, error: null, ms: expect.any(Number) },
      { registry_id: one.registries[1]?.id, status: 200, error: null },
    ],
  });
});

test("an unreachable upstream is recorded with its error code", async () => {
  const one = await setUp({ body: {} });
  await one[Symbol.asyncDispose]();

  const reply = await one.post(CHAT, { model: "m" });

  expect(await eventOf(one, reply)).toMatchObject({
    status: 502,
    error_code: "upstream_unreachable",
    attempts: [{ status: null, error: "upstream_unreachable" }],
  });
});

test("the tokens reported until a client disconnects are recorded", async () => {
  const usage = { input_tokens: 25, output_tokens: 1 };
  const start = `data: ${JSON.stringify({ type: "message_start", message: { usage } })}\n\n`;
  await using upstream = startUpstream({ headers: EVENTS, chunks: [start], ending: "hang" });
  const one = await makeConsumer(await kit(), [{ provider: "anthropic", url: upstream.url }]);
  const leave = new AbortController();

  const reply = await one.call("/v1/messages", {
    method: "POST",
    body: '{"model":"m","stream":true}',
    signal: leave.signal,
  });
  await reply.body?.getReader().read();
  leave.abort();

  expect(await eventOf(one, reply)).toMatchObject({ ...usage, error_code: "client_closed" });
});

const MESSAGE_START =
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":1}}}\n\n';
const MESSAGE_END =
  'event: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":15}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';

test.each<[string, Script]>([
  ["at once", { headers: EVENTS, body: MESSAGE_START + MESSAGE_END }],
  ["in one piece", { headers: EVENTS, chunks: [MESSAGE_START + MESSAGE_END, 30, ": bye\n\n"] }],
  [
    "after a comment",
    { headers: EVENTS, chunks: [": wait\n\n", 30, MESSAGE_START, 30, MESSAGE_END] },
  ],
  [
    "cut in two",
    {
      headers: EVENTS,
      chunks: [MESSAGE_START.slice(0, 50), 30, MESSAGE_START.slice(50), 30, MESSAGE_END],
    },
  ],
  [
    "under a type in capitals",
    {
      headers: { "content-type": "Text/Event-Stream" },
      chunks: [MESSAGE_START, 30, MESSAGE_END],
    },
  ],
])(
  "input tokens that only the first event reports are recorded when it comes %s",
  async (_, script) => {
    await using upstream = startUpstream(script);
    const one = await makeConsumer(await kit(), [{ provider: "anthropic", url: upstream.url }]);

    const reply = await one.post("/v1/messages", { model: "m", stream: true });
    await reply.text();

    expect(await eventOf(one, reply)).toMatchObject({ input_tokens: 25, output_tokens: 15 });
  },
);

test("the tokens in the first event of a long stream that broke off are recorded", async () => {
  const delta = 'data: {"type":"content_block_delta","delta":{"text":"a"}}\n\n'.repeat(1000);
  const chunks = [MESSAGE_START, 30, delta, 30];
  await using upstream = startUpstream({ headers: EVENTS, chunks, ending: "reset" });
  const one = await makeConsumer(await kit(), [{ provider: "anthropic", url: upstream.url }]);

  const reply = await one.post("/v1/messages", { model: "m", stream: true });
  await reply.text();

  expect(await eventOf(one, reply)).toMatchObject({
    error_code: "upstream_failed",
    input_tokens: 25,
    output_tokens: 1,
  });
});

test("the tokens of a large image are recorded, and the image arrives unchanged", async () => {
  const image = Buffer.alloc(3 * 1024 * 1024, 7).toString("base64");
  const usage = { input_tokens: 9, output_tokens: 4 };
  await using one = await setUp({ body: { data: [{ b64_json: image }], usage } });

  const reply = await one.post("/v1/images/generations", { model: "m", prompt: "A gate" });
  const { data } = (await reply.json()) as { data: { b64_json: string }[] };

  expect(data[0]?.b64_json === image).toBe(true);
  expect(await eventOf(one, reply)).toMatchObject(usage);
});

test("usage in seconds is recorded without tokens", async () => {
  await using one = await setUp({ body: { text: "hi", usage: { type: "duration", seconds: 3 } } });

  const reply = await one.form("/v1/audio/transcriptions", [
    ["model", "whisper-1"],
    ["file", "RIFF", "a.wav"],
  ]);

  expect(await eventOf(one, reply)).toMatchObject({ input_tokens: null, output_tokens: null });
});

test("a response that is not relayed is recorded with its status", async () => {
  await using one = await setUp({ status: 307, headers: { location: "/elsewhere" } });

  const reply = await one.post(CHAT, { model: "m" });

  expect(await eventOf(one, reply)).toMatchObject({
    status: 502,
    attempts: [{ status: 307, error: "upstream_failed" }],
  });
});

test("the attempt of a client that disconnects before the response is recorded", async () => {
  await using one = await setUp({ delay_ms: 2000 });
  const trace = "0af7651916cd43dd8448eb211c80319c";

  const pending = one.call(CHAT, {
    method: "POST",
    headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` },
    body: '{"model":"m"}',
    signal: AbortSignal.timeout(200),
  });
  expect(pending).rejects.toThrow();

  const named = new Response(null, { headers: { "x-ag-trace-id": trace } });
  expect(await eventOf(one, named)).toMatchObject({
    status: 499,
    attempts: [{ registry_id: one.registries[0]?.id, status: null, error: "client_closed" }],
  });
});
