/** Streamed responses that complete, break off, stall or are canceled by the client. */
import { expect, test } from "bun:test";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { type Attach, makeConsumer } from "../kit/dataplane.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { minOfRuns, until } from "../kit/until.ts";
import { type Script, startRawUpstream, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const CHAT = "/v1/chat/completions";
const ASK = { model: "gpt-4o", stream: true };
const EVENTS = { "content-type": "text/event-stream" };
const DELTA = 'data: {"choices":[{"delta":{"content":"a"}}],"usage":null}\n\n';
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n';
const DONE = "data: [DONE]\n\n";

async function setUp(script: Script, more: Partial<Attach> = {}, own?: Kit) {
  const upstream = startUpstream(script);
  const attach = { provider: "openai", url: upstream.url, ...more };
  const consumer = await makeConsumer(own ?? (await kit()), [attach]);
  return { ...consumer, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

test("events are relayed in order, including usage and [DONE]", async () => {
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA, DELTA, USAGE, DONE] });

  const reply = await one.post(CHAT, ASK);

  expect(reply.headers.get("content-type")).toBe("text/event-stream");
  expect(reply.headers.get("x-accel-buffering")).toBe("no");
  expect(await reply.text()).toBe(DELTA + DELTA + USAGE + DONE);
});

test("every event is relayed without waiting for the next", async () => {
  const next = Promise.withResolvers<void>();
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA, next.promise, DONE] });

  const reader = (await one.post(CHAT, ASK)).body?.getReader();
  const first = await reader?.read();
  next.resolve();
  const second = await reader?.read();

  expect([first, second].map((read) => Buffer.from(read?.value ?? []).toString())).toEqual([
    DELTA,
    DONE,
  ]);
});

test.each([
  ["chat", CHAT, { error: { type: "upstream_error", code: "upstream_failed" } }, /^data: /],
  [
    "responses",
    "/v1/responses",
    { type: "error", code: "upstream_failed" },
    /^event: error\ndata: /,
  ],
  [
    "messages",
    "/v1/messages",
    { type: "error", error: { type: "api_error" } },
    /^event: error\ndata: /,
  ],
])(
  "a %s stream that breaks off ends with one error event and no [DONE]",
  async (_, path, expected, shape) => {
    const provider = path === "/v1/messages" ? "anthropic" : "openai";
    await using one = await setUp(
      { headers: EVENTS, chunks: [DELTA, 30], ending: "reset" },
      { provider },
    );

    const reply = await one.post(path, ASK);
    const text = await reply.text();

    expect(text).toStartWith(DELTA);
    expect(text).not.toContain("[DONE]");
    const last = text.slice(DELTA.length);
    expect(last).toMatch(shape);
    const trace_id = reply.headers.get("x-ag-trace-id");
    expect(JSON.parse(last.slice(last.indexOf("{")))).toMatchObject({ ...expected, trace_id });
  },
);

test("a stream that breaks off is logged as an error, with its ids and the cause", async () => {
  const shared = await kit();
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA, 30], ending: "reset" });

  const reply = await one.post(CHAT, ASK);
  await reply.text();

  const trace_id = reply.headers.get("x-ag-trace-id") ?? "";
  const logged = shared.lines
    .filter((line) => line.includes(trace_id))
    .map((line) => JSON.parse(line));
  expect(logged).toEqual([
    expect.objectContaining({
      event: "stream_failed",
      level: "error",
      registry_id: reply.headers.get("x-ag-registry"),
      code: "upstream_failed",
      error: expect.objectContaining({ message: expect.stringContaining("ECONNRESET") }),
    }),
  ]);
});

test("an unfinished event is terminated before the error event", async () => {
  await using one = await setUp({ headers: EVENTS, chunks: ['data: {"cut', 30], ending: "reset" });

  const text = await (await one.post(CHAT, ASK)).text();

  expect(text).toStartWith('data: {"cut\n\ndata: {"error":');
});

test.each([
  ["a declared length", "content-length: 1000000\r\n\r\nhalf of it"],
  ["chunks", "transfer-encoding: chunked\r\n\r\n9\r\nhalf of i\r\n"],
])("a download with %s that breaks off is not complete for the client", async (_, rest) => {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n${rest}`;
  await using upstream = await startRawUpstream((socket: Socket) => {
    socket.write(head);
    setTimeout(() => socket.destroy(), 50);
  });
  const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

  const reply = await one.get("/v1/files/file-1/content");

  expect(reply.status).toBe(200);
  expect(reply.bytes()).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("a short response that breaks off is a 502", async () => {
  await using upstream = await startRawUpstream((socket: Socket) => {
    socket.write(
      "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{}",
    );
    setTimeout(() => socket.destroy(), 50);
  });
  const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(502);
  expect(await reply.text()).toContain('"upstream_failed"');
});

test("an upstream that sends no response is a 504", async () => {
  await using own = await startKit({ settings: { UPSTREAM_HEADER_TIMEOUT_S: "0.2" } });
  await using one = await setUp({ delay_ms: 5_000 }, {}, own);

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(504);
  expect(await reply.text()).toContain('"upstream_timeout"');
  await until(() => one.upstream.hits[0]?.cancelled === true);
  expect(one.upstream.hits[0]?.cancelled).toBe(true);
});

test("an idle timeout inside a stream ends it with an error event", async () => {
  await using own = await startKit({ settings: { UPSTREAM_IDLE_TIMEOUT_S: "1" } });
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA], ending: "hang" }, {}, own);

  const text = await (await one.post(CHAT, ASK)).text();

  expect(text).toContain('"upstream_timeout"');
  expect(text).toContain("The upstream stopped sending");
  expect(text).not.toContain("[DONE]");
}, 15_000);

test("failover is possible until the first byte of a body", async () => {
  await using dying = startUpstream({ headers: EVENTS, chunks: [30], ending: "reset" });
  await using well = startUpstream({ headers: EVENTS, chunks: [DELTA, DONE] });
  const registries = [dying, well].map(({ url }) => ({ provider: "openai", url }));
  const careful = await makeConsumer(await kit(), registries);
  const willing = await makeConsumer(await kit(), registries, {
    failover: { resend_billable: true },
  });

  const download = await careful.get("/v1/files/file-1/content");
  const chat = await willing.post(CHAT, ASK);

  expect(await download.text()).toBe(DELTA + DONE);
  expect(await chat.text()).toBe(DELTA + DONE);
});

test("a compressed response is relayed unchanged", async () => {
  const body = gzipSync('{"hello":"there"}');
  await using one = await setUp({
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body: new Uint8Array(body),
  });

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.headers.get("content-encoding")).toBe("gzip");
  expect(await reply.json()).toEqual({ hello: "there" });
});

test("a large response arrives completely", async () => {
  const body = new Uint8Array(5 * 1024 * 1024).map((_, at) => at % 251);
  await using one = await setUp({ headers: { "content-type": "image/png" }, body });

  const reply = await one.get("/v1/files/file-1/content");

  expect(Buffer.from(await reply.bytes()).equals(Buffer.from(body))).toBe(true);
});

/** Endless stream of 64 KiB chunks that counts those read. */
function endless() {
  const made = { bytes: 0 };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        made.bytes += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    },
    { highWaterMark: 0 },
  );
  return { made, stream };
}

/** Returns the bytes produced once production stops; over 64 MiB without back-pressure. */
async function atRest(made: { bytes: number }): Promise<number> {
  const most = 64 * 1024 * 1024;
  for (let before = -1; made.bytes !== before && made.bytes < most; ) {
    before = made.bytes;
    await Bun.sleep(300);
  }
  return made.bytes;
}

test("back-pressure of a client reaches the upstream", async () => {
  const { made, stream } = endless();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(stream) });
  const url = `http://127.0.0.1:${server.port}`;
  const one = await makeConsumer(await kit(), [{ provider: "openai", url }]);
  const leave = new AbortController();

  const reply = await one.call("/v1/files/file-1/content", { signal: leave.signal });
  await reply.body?.getReader().read();
  const produced = await atRest(made);
  leave.abort();
  await server.stop(true);

  expect(produced).toBeLessThan(64 * 1024 * 1024);
});

test("back-pressure of an upstream reaches the client", async () => {
  const { made, stream } = endless();
  await using upstream = await startRawUpstream((socket) => socket.pause());
  const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);
  const leave = new AbortController();

  const reply = one
    .call("/v1/files", {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: stream,
      signal: leave.signal,
    })
    .catch((thrown: Error) => thrown.name);
  const produced = await atRest(made);
  leave.abort();

  expect(await reply).toBe("AbortError");
  expect(produced).toBeLessThan(64 * 1024 * 1024);
});

test("only documented upstream headers are relayed", async () => {
  await using one = await setUp({
    headers: {
      "set-cookie": "a=b",
      server: "theirs",
      "x-request-id": "theirs",
      "openai-organization": "org-secret",
      location: "https://elsewhere.test",
    },
    body: {},
  });

  const reply = await one.post(CHAT, { model: "x" });

  expect([...reply.headers.keys()].sort()).toEqual([
    "cache-control",
    "content-length",
    "content-type",
    "date",
    "x-ag-registry",
    "x-ag-trace-id",
    "x-ag-upstream-request-id",
    "x-content-type-options",
    "x-request-id",
    "x-selected-model",
    "x-selected-provider",
  ]);
  expect(reply.headers.get("x-request-id")).not.toBe("theirs");
});

test("a model name that is invalid in a header is left out of it", async () => {
  await using one = await setUp({ body: {} });

  const reply = await one.post(CHAT, { model: "mod\u00e8le\n\u{1f600}" });

  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-selected-model")).toBeNull();
});

test.each([
  [
    "its own end",
    "transfer-encoding: chunked\r\n\r\n",
    `${DELTA.length.toString(16)}\r\n`,
    "\r\n0\r\n\r\n",
  ],
  ["its connection", "\r\n", "", ""],
])(
  "a stream that ends with %s but without [DONE] gets an error event",
  async (by, head, before, after) => {
    await using upstream = await startRawUpstream((socket: Socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${head}`);
      socket.write(`${before}${DELTA}${after}`);
      if (by === "its connection") socket.end();
    });
    const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

    const text = await (await one.post(CHAT, ASK)).text();

    expect(text).toStartWith(`${DELTA}data: {"error":`);
    expect(text).toContain('"code":"upstream_failed"');
    expect(text).not.toContain("[DONE]");
  },
);

const event = (name: string, fields = {}) =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...fields })}\n\n`;
const LONG = "x".repeat(100_000);

test.each([
  ["chat", CHAT, DELTA + DONE],
  ["chat without a space", CHAT, `${DELTA}data:[DONE]\n\n`],
  ["chat with CRLF", CHAT, `${DELTA}${DONE}`.replaceAll("\n", "\r\n")],
  ["chat with CR", CHAT, `${DELTA}${DONE}`.replaceAll("\n", "\r")],
  ["chat without the last line break", CHAT, `${DELTA}data: [DONE]`],
  ["chat in which an error is sent", CHAT, `${DELTA}data: {"error":{"message":"busy"}}\n\n`],
  [
    "completed responses",
    "/v1/responses",
    event("response.created") + event("response.completed", { text: LONG }),
  ],
  ["failed responses", "/v1/responses", event("response.failed")],
  ["incomplete responses", "/v1/responses", event("response.incomplete")],
  ["responses without names", "/v1/responses", 'data: {"type": "response.completed"}\n\n'],
  ["messages", "/v1/messages", event("message_start") + event("message_stop")],
  ["messages in which an error is sent", "/v1/messages", event("error")],
])("a complete stream is relayed unchanged: %s", async (_, path, sent) => {
  for (const size of [sent.length, 50]) {
    const chunks = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) =>
      sent.slice(at * size, (at + 1) * size),
    );
    const provider = path === "/v1/messages" ? "anthropic" : "openai";
    await using one = await setUp({ headers: EVENTS, chunks: chunks.slice(0, 3000) }, { provider });

    expect(await (await one.post(path, ASK)).text()).toBe(sent);
  }
});

test.each([":\n", "\n", "x\nx\r"])(
  "a stream of the lines %j takes little CPU time",
  async (line) => {
    const toChunks = (text: string) => [text.repeat(4_000_000 / text.length), DONE];
    const measure = async (text: string) => {
      await using one = await setUp({ headers: EVENTS, chunks: toChunks(text) });
      const before = process.cpuUsage();
      const reply = await (await one.post(CHAT, ASK)).arrayBuffer();
      const { user, system } = process.cpuUsage(before);
      expect(reply.byteLength).toBeGreaterThan(3_900_000);
      return user + system;
    };
    await measure(DELTA);

    const ratio = async () => (await measure(line)) / (await measure(DELTA));

    expect(await minOfRuns(ratio, 3.5)).toBeLessThan(3.5);
  },
);

test.each([
  ["responses", "/v1/responses", event("response.created", { text: "event: response.completed" })],
  ["messages", "/v1/messages", event("content_block_delta", { text: "\nevent: message_stop\n" })],
])("an incomplete stream of %s ends with an error event", async (_, path, sent) => {
  const provider = path === "/v1/messages" ? "anthropic" : "openai";
  await using one = await setUp({ headers: EVENTS, chunks: [sent] }, { provider });

  const text = await (await one.post(path, ASK)).text();

  expect(text).toStartWith(`${sent}event: error\ndata: {"type":"error"`);
});

test("nothing is appended when the connection breaks after [DONE]", async () => {
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA, DONE, 30], ending: "reset" });

  const text = await (await one.post(CHAT, ASK)).text();

  expect(text).toBe(DELTA + DONE);
  const events = async () =>
    (await (await kit()).get(`/v1/gateways/${one.gateway.id}/requests`)).json();
  await until(async () => ((await events()) as { items: object[] }).items.length > 0);
  expect(await events()).toMatchObject({ items: [{ status: 200, error_code: null }] });
});

test("broken framing in the packet of a whole stream does not discard its events", async () => {
  await using upstream = await startRawUpstream((socket: Socket) => {
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked";
    socket.end(`${head}\r\n\r\n${chunk(DELTA)}${chunk(DONE)}not a chunk\r\n`);
  });
  const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

  const reply = await one.post(CHAT, ASK);

  expect([reply.status, await reply.text()]).toEqual([200, DELTA + DONE]);
});

test.each([
  ["a download", "/v1/files/file-1/content", "GET"],
  ["speech", "/v1/audio/speech", "POST"],
])("%s of events has no terminator and is relayed unchanged", async (_, path, method) => {
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA] });

  const body = method === "POST" ? JSON.stringify(ASK) : null;

  expect(await (await one.call(path, { method, body })).text()).toBe(DELTA);
});

test("a compressed event stream that breaks off is aborted, not continued in plain text", async () => {
  const headers = { ...EVENTS, "content-encoding": "gzip" };
  await using one = await setUp({ headers, chunks: ["\u001f", 30], ending: "reset" });

  const reply = await fetch(`${one.url}${CHAT}`, {
    method: "POST",
    headers: { "x-ag-api-key": one.key },
    body: JSON.stringify(ASK),
    decompress: false,
  });

  expect(reply.bytes()).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("an error event of an upstream reaches the client unchanged", async () => {
  const error = 'event: error\ndata: {"error":{"message":"overloaded","code":"busy"}}\n\n';
  await using one = await setUp({ headers: EVENTS, chunks: [DELTA, error] });

  expect(await (await one.post(CHAT, ASK)).text()).toBe(DELTA + error);
});
