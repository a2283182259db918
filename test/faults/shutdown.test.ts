/** SIGTERM: running requests finish, nothing else delays the exit. Real processes and sockets. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeDetector, makeGuard, makeGuardWithRules } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { OWNER_TOKEN } from "../kit/kit.ts";
import { startProgram } from "../kit/program.ts";
import { startUnresponsiveServer } from "../kit/unresponsive-server.ts";
import { until } from "../kit/until.ts";
import { startRawUpstream, startUpstream } from "../kit/upstream.ts";

const CHAT = "/v1/chat/completions";

/** Exits by itself before `until` gives up, which is well below the 30 s of SHUTDOWN_TIMEOUT_S. */
async function exitCode({ child }: Awaited<ReturnType<typeof startProgram>>) {
  child.kill("SIGTERM");
  await until(() => child.exitCode !== null);
  return child.exitCode;
}

test("a dial that hangs does not delay the exit", async () => {
  await using dead = await startUnresponsiveServer(60_000);
  await using program = await startProgram();
  const url = `http://127.0.0.1:${dead.port}`;
  const consumer = await makeConsumer(program, [{ provider: "openai_compatible", url }]);
  const leaving = new AbortController();
  const left = consumer
    .call(CHAT, { method: "POST", body: '{"model":"m"}', signal: leaving.signal })
    .catch(() => "left");
  const { port } = dead;
  await until(() => synSent(port));

  leaving.abort();

  expect(await left).toBe("left");
  expect(await exitCode(program)).toBe(0);
}, 40_000);

test.each([
  ["one process", []],
  ["two workers", ["--workers", "2"]],
])(
  "%s: a stream that is open at SIGTERM completes, and its event is stored",
  async (_, args) => {
    const dir = mkdtempSync(join(tmpdir(), "portcullis-shutdown-"));
    const settings = { PORTCULLIS_DATA_DIR: dir };
    const rest = Promise.withResolvers<void>();
    const chunks = ["data: 1\n\n", rest.promise, "data: [DONE]\n\n"];
    await using upstream = startUpstream({
      headers: { "content-type": "text/event-stream" },
      chunks,
    });
    await using program = await startProgram({ args, settings });
    const consumer = await makeConsumer(program, [{ provider: "openai", url: upstream.url }]);
    const reply = await consumer.post(CHAT, { model: "m", stream: true });

    program.child.kill("SIGTERM");
    await until(() => fetch(program.url).then(never, () => true));
    rest.resolve();
    const text = await reply.text();
    await program.child.exited;

    expect([text, program.child.exitCode]).toEqual(["data: 1\n\ndata: [DONE]\n\n", 0]);
    await using next = await startProgram({ settings });
    const events = await next.call("GET", `/v1/gateways/${consumer.gateway.id}/requests`);
    expect((await events.json()).items).toMatchObject([{ status: 200, error_code: null }]);
    rmSync(dir, { recursive: true, force: true });
  },
  40_000,
);

test("a request that runs after SHUTDOWN_TIMEOUT_S ends with shutting_down, and its event is stored", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-shutdown-"));
  const settings = { PORTCULLIS_DATA_DIR: dir, SHUTDOWN_TIMEOUT_S: "1" };
  await using silent = await startRawUpstream(() => {});
  const headers = { "content-type": "text/event-stream" };
  await using endless = startUpstream({ headers, chunks: ["data: 1\n\n"], ending: "hang" });
  await using program = await startProgram({ settings });
  const provider = "openai";
  const waiting = await makeConsumer(program, [{ provider, url: silent.url }]);
  const streaming = await makeConsumer(program, [{ provider, url: endless.url }]);
  const waited = waiting.post(CHAT, { model: "m" });
  const streamed = await streaming.post(CHAT, { model: "m", stream: true });
  await until(() => silent.calls() === 1);

  const code = await exitCode(program);

  const [refused, text] = [await waited, await streamed.text()];
  expect([code, refused.status]).toEqual([0, 503]);
  expect(await refused.json()).toMatchObject({ error: { code: "shutting_down" } });
  expect(text).toStartWith("data: 1\n\n");
  expect(text).toContain('"message":"This node is shutting down."');
  expect(text).toContain('"code":"shutting_down"');
  await using next = await startProgram({ settings });
  for (const [{ gateway }, status] of [[waiting, 503] as const, [streaming, 200] as const]) {
    const events = await next.call("GET", `/v1/gateways/${gateway.id}/requests`);
    const recorded = { status, error_code: "shutting_down" };
    expect((await events.json()).items).toMatchObject([recorded]);
  }
  rmSync(dir, { recursive: true, force: true });
}, 40_000);

test("a large evaluation that still runs after SHUTDOWN_TIMEOUT_S is a 503", async () => {
  await using program = await startProgram({ settings: { SHUTDOWN_TIMEOUT_S: "0" } });
  const guard = await makeGuardWithRules(program, "data_loss_prevention");
  const body = { payload: { input: "someone@example.com ".repeat(100_000) } };
  // One worker runs the evaluations of one collector, one after the other.
  const sent = Array.from({ length: 8 }, () => guard.send(body));
  await Promise.race(sent);

  const code = await exitCode(program);

  const last = await sent.at(-1);
  expect([code, last?.status]).toEqual([0, 503]);
  expect(await last?.json()).toMatchObject({ error: "This node is shutting down." });
}, 40_000);

test("long texts of observed streams that still wait after SHUTDOWN_TIMEOUT_S are recorded", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-shutdown-"));
  const settings = { PORTCULLIS_DATA_DIR: dir, SHUTDOWN_TIMEOUT_S: "0" };
  const rest = Promise.withResolvers<void>();
  const content = "someone@example.com ".repeat(30_000);
  const events = ["Hello", content].map(
    (text) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`,
  );
  const [first = "", ...others] = events;
  const chunks = [first, rest.promise, ...others, "data: [DONE]\n\n"];
  await using program = await startProgram({ settings });
  const { id: detector_id } = await makeDetector(program, "data_loss_prevention");
  const policy = { output_rules: [{ detector_id, action: "report" }] };
  await using it = await makeGuardedConsumer(program, policy, {
    script: { headers: { "content-type": "text/event-stream" }, chunks },
    guard: { stream: "observe", llm: { input: false, output: true } },
  });
  const open = () => it.post(CHAT, { model: "m", messages: [], stream: true });
  const replies = await Promise.all(Array.from({ length: 60 }, open));
  rest.resolve();
  for (const reply of replies) await reply.arrayBuffer();

  expect(await exitCode(program)).toBe(0);

  await using next = await startProgram({ settings });
  const reply = await next.call("GET", "/v1/activity?limit=100");
  const { items } = (await reply.json()) as { items: { trace_id: string }[] };
  // A text that a worker evaluates to its end after all is recorded twice.
  expect(new Set(items.map(({ trace_id }) => trace_id)).size).toBe(replies.length);
  rmSync(dir, { recursive: true, force: true });
}, 40_000);

test("a stream whose client does not read ends as shutting_down, not as client_closed", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-shutdown-"));
  const settings = { PORTCULLIS_DATA_DIR: dir, SHUTDOWN_TIMEOUT_S: "1" };
  const event = `data: ${"x".repeat(1024 * 1024)}\n\n`;
  const headers = { "content-type": "text/event-stream" };
  const chunks = Array.from({ length: 64 }, () => event);
  await using upstream = startUpstream({ headers, chunks, ending: "hang" });
  await using program = await startProgram({ settings });
  const { slug, key, gateway } = await makeConsumer(program, [
    { provider: "openai", url: upstream.url },
  ]);
  const { hostname, port } = new URL(program.url);
  const body = '{"model":"m","stream":true}';
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  socket.write(
    `POST /${slug}${CHAT} HTTP/1.1\r\nhost: x\r\nx-ag-api-key: ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await new Promise((begun) => socket.once("readable", begun)); // not read from then on

  expect(await exitCode(program)).toBe(0);

  socket.destroy();
  await using next = await startProgram({ settings });
  const events = await next.call("GET", `/v1/gateways/${gateway.id}/requests`);
  expect((await events.json()).items).toMatchObject([{ status: 200, error_code: "shutting_down" }]);
  rmSync(dir, { recursive: true, force: true });
}, 40_000);

const never = () => false;

/** Reports whether a connection to `port` is in state SYN_SENT (02). */
async function synSent(port: number): Promise<boolean> {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")} 02`;
  return (await Bun.file("/proc/net/tcp").text()).includes(remote);
}

test("request bodies that never complete are rejected and do not delay the exit", async () => {
  await using upstream = startUpstream();
  await using program = await startProgram();
  const consumer = await makeConsumer(program, [{ provider: "openai", url: upstream.url }]);
  const guard = await makeGuard(program, {});
  const admin = `authorization: Bearer ${OWNER_TOKEN}`;
  const key = `x-ag-api-key: ${consumer.key}`;
  const slow = [
    begin(program.url, "/v1/gateways", [admin, JSON_TYPE]),
    begin(program.url, "/v1/evaluate", [`authorization: Bearer ${guard.key}`, JSON_TYPE]),
    begin(program.url, `/${consumer.slug}${CHAT}`, [key, JSON_TYPE]),
    begin(program.url, `/${consumer.slug}/v1/files`, [key, FORM]),
  ];
  // A response on a later connection means that the earlier ones were dispatched.
  await program.admin("GET", "/v1/gateways");

  const code = await exitCode(program);

  expect(code).toBe(0);
  for (const response of slow) {
    expect(response()).toStartWith("HTTP/1.1 503");
    expect(response()).toContain("shutting down");
  }
}, 40_000);

const JSON_TYPE = "content-type: application/json";
const FORM = "content-type: multipart/form-data; boundary=b";

/** Sends the header block and the first byte of a long body; returns a function that reads the response so far. */
function begin(url: string, path: string, headers: string[]): () => string {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const lines = [`POST ${path} HTTP/1.1`, "host: x", "content-length: 900000", ...headers];
  socket.write(`${lines.join("\r\n")}\r\n\r\n{`);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes;
  });
  socket.on("error", () => {});
  return () => received;
}
