/** Bad input and broken upstreams: each gets a clear error with a trace id; nothing hangs or leaks. */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { KINDS, listAuthTypes } from "../../src/contract/gateway/registries.ts";
import {
  FORM_TYPE,
  type FormPart,
  formBytes,
  makeConsumer,
  UPSTREAM_KEY,
} from "../kit/dataplane.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { type Script, startRawUpstream, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit({
  settings: {
    JSON_BODY_MIB: "1",
    MEDIA_BODY_MIB: "8",
    FILES_BODY_MIB: "2",
    IN_FLIGHT_MIB: "16",
    UPLOAD_IDLE_TIMEOUT_S: "1",
  },
});
const CHAT = "/v1/chat/completions";
const TRANSCRIPTIONS = "/v1/audio/transcriptions";
const MIB = 1024 * 1024;

async function setUp(script: Script = { body: { text: "ok" } }, count = 1, more = {}) {
  const upstreams = Array.from({ length: count }, () => startUpstream(script));
  const attach = upstreams.map(({ url }) => ({ provider: "openai", url }));
  const consumer = await makeConsumer(await kit(), attach, more);
  const [upstream = startUpstream()] = upstreams;
  return {
    ...consumer,
    upstream,
    upstreams,
    hits: () => upstreams.map(({ hits }) => hits.length),
    async [Symbol.asyncDispose]() {
      for (const each of upstreams) await each[Symbol.asyncDispose]();
    },
  };
}

async function refusalOf(reply: Response) {
  const body = (await reply.json()) as {
    error: { code: string; message: string };
    trace_id: string;
  };
  expect(body.trace_id).toBe(reply.headers.get("x-ag-trace-id") ?? "");
  return { status: reply.status, code: body.error.code, message: body.error.message };
}

const rawForm =
  (one: { call: (path: string, init: RequestInit) => Promise<Response> }) =>
  (body: string | Buffer<ArrayBuffer>, type = FORM_TYPE, path = TRANSCRIPTIONS) =>
    one.call(path, { method: "POST", headers: { "content-type": type }, body });

const part = (name: string, value: string) =>
  `------test-Boundary_7\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const END = "------test-Boundary_7--\r\n";

test.each([
  ["no boundary", "x", "multipart/form-data", "boundary"],
  ["another type", "{}", "application/json", "boundary"],
  ["two boundaries", "x", "multipart/form-data; boundary=a; boundary=b", "boundary"],
  ["no delimiter at all", "what is this", FORM_TYPE, "malformed"],
  ["a part without a name", `------test-Boundary_7\r\n\r\nx\r\n${END}`, FORM_TYPE, "malformed"],
  ["`model` twice", part("model", "a") + part("model", "b") + END, FORM_TYPE, "twice"],
  ["10,000 parts", part("x", "y").repeat(10_000) + END, FORM_TYPE, "more than"],
  ["no closing delimiter", part("file", "x"), FORM_TYPE, "ends before"],
  ["a bare line feed before a delimiter", `${part("a", "b").trimEnd()}\n${END}`, FORM_TYPE, "CRLF"],
])("a form with %s is a 400 and reaches no upstream", async (_, body, type, says) => {
  await using one = await setUp();

  const refusal = await refusalOf(await rawForm(one)(body, type));

  expect(refusal).toMatchObject({ status: 400, code: "invalid_request" });
  expect(refusal.message).toContain(says);
  expect(one.hits()).toEqual([0]);
});

test("a second `model` in a form that already streams ends the call: no upstream receives the whole form", async () => {
  await using one = await setUp();
  const body = part("model", "a") + part("file", "x".repeat(3 * MIB)) + part("model", "b") + END;

  const refusal = await refusalOf(await rawForm(one)(body));

  expect(refusal).toMatchObject({ status: 400, code: "invalid_request" });
  expect(one.upstream.hits.every((hit) => hit.body.length === 0)).toBe(true);
});

test("a boundary inside the file's content is part of the file", async () => {
  await using one = await setUp();
  const parts: FormPart[] = [
    ["file", "a ------test-Boundary_7 b\r\n-----test-Boundary_7\r\n", "a.txt"],
    ["model", "whisper-1"],
  ];

  const reply = await one.form(TRANSCRIPTIONS, parts);

  expect(reply.status).toBe(200);
  expect(one.upstream.hits[0]?.body.equals(formBytes(parts))).toBe(true);
});

test("a form whose model follows a large file is spooled to disk, arrives byte for byte, and leaves no file", async () => {
  await using one = await setUp();
  const parts: FormPart[] = [
    ["file", "0123456789abcdef".repeat(200_000), "long.wav"],
    ["model", "whisper-1"],
  ];

  const reply = await one.form(TRANSCRIPTIONS, parts);

  expect(reply.status).toBe(200);
  expect(one.upstream.hits[0]?.body.equals(formBytes(parts))).toBe(true);
  expect(spooled(await kit())).toEqual([]);
});

const spooled = ({ data_dir }: Kit) =>
  readdirSync(data_dir, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.includes("spool-"),
  );

test("a spooled form is sent again from its start", async () => {
  await using one = await setUp({ status: 503 }, 2);
  one.upstreams[1]?.script({ body: { text: "second" } });
  const parts: FormPart[] = [
    ["file", "x".repeat(2 * MIB), "a.wav"],
    ["model", "whisper-1"],
  ];

  const reply = await one.form(TRANSCRIPTIONS, parts);

  expect(await reply.json()).toEqual({ text: "second" });
  expect(one.hits()).toEqual([1, 1]);
  expect(one.upstreams[1]?.hits[0]?.body.equals(formBytes(parts))).toBe(true);
});

test("an upload that streamed through is never sent again", async () => {
  await using one = await setUp({ status: 503, body: { error: "busy" } }, 2);
  const parts: FormPart[] = [["file", "x".repeat(MIB), "a.bin"]];

  const reply = await one.form("/v1/files", parts);

  expect(reply.status).toBe(503);
  expect(one.hits().reduce((sum, hits) => sum + hits)).toBe(1);
});

test("an upload of which nothing was sent yet is sent to the next registry as a whole", async () => {
  await using one = await setUp({ body: { id: "file-1" } }, 2);
  const first = await one.get("/v1/files");
  const sticky = first.headers.get("x-ag-registry") === one.registries[0]?.id ? 0 : 1;
  await one.upstreams[sticky]?.[Symbol.asyncDispose]();
  const parts: FormPart[] = [["file", "x".repeat(MIB), "a.bin"]];

  const reply = await one.form("/v1/files", parts);

  expect(reply.status).toBe(200);
  const hit = one.upstreams[1 - sticky]?.hits.at(-1);
  expect(hit?.body.equals(formBytes(parts))).toBe(true);
});

test.each([
  ["JSON", CHAT, JSON.stringify({ model: "x", pad: "x".repeat(MIB) }), "application/json"],
  ["a form", TRANSCRIPTIONS, formBytes([["file", "x".repeat(8 * MIB), "a"]]), FORM_TYPE],
  ["JSON on files", "/v1/files", JSON.stringify({ pad: "x".repeat(MIB) }), "application/json"],
  ["an upload", "/v1/files", formBytes([["file", "x".repeat(2 * MIB), "a"]]), FORM_TYPE],
])("%s over its cap is a 413, with a declared length and without", async (_, path, body, type) => {
  await using one = await setUp();
  const headers = { "content-type": type };
  const chunked = new Blob([body]).stream();

  const declared = await one.call(path, { method: "POST", headers, body });
  const streamed = await one.call(path, { method: "POST", headers, body: chunked });

  expect(await refusalOf(declared)).toMatchObject({ status: 413, code: "too_large" });
  expect(await refusalOf(streamed)).toMatchObject({ status: 413, code: "too_large" });
});

test("more held bytes than the budget allows is a 429, and the budget is released", async () => {
  await using one = await setUp({ delay_ms: 300, body: {} });
  const body = JSON.stringify({ model: "x", pad: "x".repeat(900_000) });

  const replies = await Promise.all(Array.from({ length: 24 }, () => one.post(CHAT, body)));
  const later = await one.post(CHAT, body);

  const statuses = replies.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(10);
  const [refused] = replies.filter(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toBe("1");
  expect(later.status).toBe(200);
});

/** Sends raw bytes; resolves with the whole response when the server or the timeout ends the connection. */
function byHand(url: string, text: string, more: { trickle?: string; for_ms?: number } = {}) {
  const { hostname, port } = new URL(url);
  return new Promise<string>((resolve) => {
    let got = "";
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text));
    const drip = setInterval(() => more.trickle && socket.write(more.trickle), 50);
    const stop = setTimeout(() => socket.destroy(), more.for_ms ?? 4000);
    socket.on("data", (chunk) => {
      got += chunk;
      if (/\r\n\r\n\{.*\}$/s.test(got)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(drip);
      clearTimeout(stop);
      resolve(got);
    });
  });
}

const headOf = (one: { slug: string; key: string }, path: string, length: number, type: string) =>
  `POST /${one.slug}${path} HTTP/1.1\r\nhost: x\r\nx-ag-api-key: ${one.key}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;

test.each([
  ["JSON that stops", CHAT, 100, "application/json", '{"model":', undefined],
  ["JSON that trickles", CHAT, 900_000, "application/json", '{"model":', " "],
  ["a form that trickles", TRANSCRIPTIONS, 900_000, FORM_TYPE, part("a", "b"), "x"],
  ["an upload that trickles", "/v1/files", 900_000, FORM_TYPE, part("file", "b"), "x"],
])("%s is a 408, and no upstream call stays open", async (_, path, length, type, body, trickle) => {
  await using one = await setUp();

  const text = headOf(one, path, length, type) + body;
  const got = await byHand(one.url, text, { ...(trickle && { trickle }) });

  expect(got).toStartWith("HTTP/1.1 408");
  expect(got).toContain('"request_timeout"');
  expect(got).toContain('"trace_id"');
});

test("a Content-Length too short for its JSON is a 400, and the rest is not a second request", async () => {
  await using one = await setUp();

  const got = await byHand(one.url, `${headOf(one, CHAT, 5, "application/json")}{"model":"x"}`);

  expect(got).toStartWith("HTTP/1.1 400");
  expect(one.hits()).toEqual([0]);
});

test("a raw path with dots reaches no upstream", async () => {
  await using one = await setUp();
  const ask = (path: string) =>
    byHand(
      one.url,
      `GET /${one.slug}${path} HTTP/1.1\r\nhost: x\r\nx-ag-api-key: ${one.key}\r\nconnection: close\r\n\r\n`,
    );

  const responses = await Promise.all(
    ["/v1/files/..", "/v1/files/../nothing", "/v1/files/%2e%2e/content", "/v1/files/..%2fx"].map(
      ask,
    ),
  );

  expect(responses.map((response) => response.slice(0, 12))).not.toContain("HTTP/1.1 502");
  expect(one.hits()).toEqual([0]);
});

test("a compressed request body is rejected", async () => {
  await using one = await setUp();

  const reply = await one.post(CHAT, "{}", { "content-encoding": "gzip" });

  expect(await refusalOf(reply)).toMatchObject({ status: 400, code: "invalid_request" });
});

test.each([
  ["closes at once", ""],
  ["sends garbage", "what?\r\n\r\n"],
  ["sends half a header block", "HTTP/1.1 200 OK\r\ncontent-ty"],
  [
    "sends contradictory framing",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\nzz",
  ],
])("an upstream that %s is a 502 with a trace id", async (_, response) => {
  await using upstream = await startRawUpstream((socket) => socket.end(response));
  const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

  const refusal = await refusalOf(await one.post(CHAT, { model: "x" }));

  expect(refusal).toMatchObject({ status: 502, code: "upstream_failed" });
  expect(refusal.message).not.toContain(upstream.url);
});

test("the response of an upstream that rejects an upload early is relayed", async () => {
  await using upstream = await startRawUpstream((socket) => {
    socket.pause();
    socket.write(
      "HTTP/1.1 413 Too Large\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\nbig",
    );
  });
  const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

  const reply = await one.form("/v1/files", [["file", "x".repeat(1_900_000), "a.bin"]]);

  expect([reply.status, await reply.text()]).toEqual([413, "big"]);
});

test("an upstream that sends endless headers is a 502", async () => {
  await using upstream = await startRawUpstream((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const line = `x-a: ${"a".repeat(8000)}\r\n`.repeat(10);
    const more = () => socket.writable && socket.write(line, () => setImmediate(more));
    more();
  });
  const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

  const refusal = await refusalOf(await one.post(CHAT, { model: "x" }));

  expect(refusal).toMatchObject({ status: 502, code: "upstream_failed" });
});

test("a redirect is not followed, and its address does not reach the client", async () => {
  await using elsewhere = startUpstream();
  await using one = await setUp({ status: 307, headers: { location: `${elsewhere.url}/steal` } });

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.headers.get("location")).toBeNull();
  expect(await refusalOf(reply)).toMatchObject({ status: 502, code: "upstream_failed" });
  expect(elsewhere.hits.length).toBe(0);
});

test("an unreachable upstream is a 502, and its address does not reach the client", async () => {
  await using one = await setUp();
  await one.upstream[Symbol.asyncDispose]();

  const refusal = await refusalOf(await one.post(CHAT, { model: "x" }));

  expect(refusal).toMatchObject({ status: 502, code: "upstream_unreachable" });
  expect(refusal.message).not.toContain("127.0.0.1");
});

test("no response and no log line contains the registry's credential or the consumer's key", async () => {
  await using one = await setUp({ status: 500, body: { error: "x" } });
  const replies = [
    await one.post(CHAT, { model: "x" }),
    await one.post(CHAT, { model: "@groq/x" }),
    await one.post(CHAT, "{"),
  ];

  const texts = await Promise.all(
    replies.map(async (reply) => JSON.stringify([...reply.headers]) + (await reply.text())),
  );
  const all = texts.join() + (await kit()).lines.join();

  expect(all).not.toContain(UPSTREAM_KEY);
  expect(all).not.toContain(one.key);
});

test.each(KINDS.filter((kind) => listAuthTypes(kind).includes("api_key")))(
  "a registry of the kind %s sends its key in a header, never in a URL",
  async (provider) => {
    await using upstream = startUpstream();
    const options = provider === "bedrock" ? { region: "eu-central-1" } : {};
    const one = await makeConsumer(await kit(), [{ provider, url: upstream.url, options }]);

    const reply = await one.post(CHAT, { model: "m" });

    expect(reply.status).toBe(200);
    const [hit] = upstream.hits;
    expect(JSON.stringify(hit?.headers)).toContain(UPSTREAM_KEY);
    expect(`${hit?.path}${hit?.query}`).not.toContain(UPSTREAM_KEY);
  },
);

test.each<[string, (text: string) => Script]>([
  ["at once", (body) => ({ status: 401, body })],
  ["in chunks", (text) => ({ status: 500, chunks: ["{", 20, text, 20, "}"] })],
])(
  "an error that repeats the registry's key %s is relayed with the key masked",
  async (_, script) => {
    await using it = await setUp(
      script(`Incorrect API key: ${UPSTREAM_KEY}. Again: ${UPSTREAM_KEY}.`),
    );

    const text = await (await it.post(CHAT, { model: "m", messages: [] })).text();

    const masked = "*".repeat(UPSTREAM_KEY.length);
    expect(text).toContain(`Incorrect API key: ${masked}. Again: ${masked}.`);
  },
);

const toUnicodeEscape = (text: string) =>
  Array.from(text, (c) => `\\u00${c.charCodeAt(0).toString(16).toUpperCase()}`).join("");

test.each<[string, (key: string) => string]>([
  ["an escaped slash", (key) => key.replaceAll("/", "\\/")],
  ["one escaped character", (key) => key.replaceAll("+", "\\u002B")],
  ["every character escaped", toUnicodeEscape],
  ["lower-case digits", (key) => toUnicodeEscape(key).toLowerCase()],
  ["an escaped quote", (key) => key.replaceAll('"', '\\"')],
  ["escapes in JSON in a string", (key) => toUnicodeEscape(key).replaceAll("\\", "\\\\")],
])("an error that repeats the registry's key with %s is masked", async (_, toEscaped) => {
  const api_key = 'sk-planted+with/slash"quote';
  const body = `{"m":"Bad key ${toEscaped(api_key)}."}`;
  await using it = await setUp({ status: 401, body });
  const registry = `/v1/gateways/${it.gateway.id}/registries/${it.registries[0]?.id}`;
  await (await kit()).put(registry, { auth: { type: "api_key", api_key } });

  const text = await (await it.post(CHAT, { model: "m", messages: [] })).text();

  expect(text).toMatch(/^\{"m":"Bad key \*+\."\}$/);
  expect(text).toHaveLength(body.length);
});
