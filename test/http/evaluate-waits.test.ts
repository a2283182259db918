/** Evaluations that wait for other servers leave their worker to other collectors. */
import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { docx } from "../kit/docx.ts";
import { makeDetector, makeGuard, makeGuardWithRules } from "../kit/guard.ts";
import { startKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";

const DOCUMENT = { data: docx("<w:t>text</w:t>").toString("base64") };
const LARGE = "x".repeat(72 * 1024);
const HUGE = "x".repeat(1100 * 1024);

test("a document is evaluated while remote detectors of two other collectors do not respond", async () => {
  await using detector = startDetector();
  await using kit = await startKit();
  const settings = { url: detector.url, allow_private: true, timeout_ms: 10_000 };
  const slow = () => makeGuardWithRules(kit, "http", { action: "report", settings });
  const waiting = [await slow(), await slow()].map(({ send }) =>
    send({ payload: { input: HUGE } }),
  );
  await until(() => detector.calls() === 2);

  const guard = await makeGuardWithRules(kit, "doc_analyzer", { action: "report" });
  const { status } = await guard.evaluate({ payload: { attachments: [DOCUMENT] } });
  const ended = await countEnded(waiting);
  detector.respond();
  const replies = await Promise.all(waiting);

  expect({ status, ended }).toEqual({ status: "allow", ended: 0 });
  expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
}, 30_000);

test("a long body is evaluated while remote detectors of three other collectors do not respond", async () => {
  await using detector = startDetector();
  await using kit = await startKit();
  const settings = { url: detector.url, allow_private: true, timeout_ms: 10_000 };
  const slow = () => makeGuardWithRules(kit, "http", { action: "report", settings });
  const waiting = [await slow(), await slow(), await slow()].flatMap(({ send }) =>
    Array.from({ length: 12 }, () => send({ payload: { input: LARGE } })),
  );
  await until(() => detector.calls() >= 32);

  const guard = await makeGuardWithRules(kit, "secrets", { action: "report" });
  const { status } = await guard.evaluate({ payload: { input: LARGE } });
  const ended = await countEnded(waiting);
  detector.respond();
  const replies = await Promise.all(waiting);

  expect({ status, ended }).toEqual({ status: "allow", ended: 0 });
  expect(replies.map((reply) => reply.status)).toEqual(Array(36).fill(200));
}, 30_000);

test("a document is evaluated while attachments of two other collectors do not arrive", async () => {
  await using proxy = await startProxy();
  await using kit = await startKit({ settings: { EGRESS_PROXY: proxy.url } });
  const makeReader = () => makeGuardWithRules(kit, "doc_analyzer", { action: "report" });
  const attachments = [{ url: "https://8.8.8.8/document" }];
  const waiting = [await makeReader(), await makeReader()].map(({ send }) =>
    send({ payload: { attachments } }),
  );
  await until(() => proxy.connections.length === 2);

  const guard = await makeReader();
  const { status } = await guard.evaluate({ payload: { attachments: [DOCUMENT] } });
  const ended = await countEnded(waiting);
  proxy.respond();
  const replies = await Promise.all(waiting);

  expect({ status, ended }).toEqual({ status: "allow", ended: 0 });
  expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
}, 30_000);

test("a long body is evaluated while documents of long bodies of three other collectors wait", async () => {
  await using proxy = await startProxy();
  await using kit = await startKit({ settings: { EGRESS_PROXY: proxy.url } });
  const makeReader = async () => {
    const { id: detector_id } = await makeDetector(kit, "doc_analyzer");
    return await makeGuard(kit, { input_rules: [{ detector_id, action: "report" }] });
  };
  const attachments = [{ url: "https://8.8.8.8/document" }];
  const body = { payload: { input: LARGE, attachments } };
  const waiting = [await makeReader(), await makeReader(), await makeReader()].flatMap(({ send }) =>
    Array.from({ length: 12 }, () => send(body)),
  );
  await until(() => proxy.connections.length === 3);

  const guard = await makeReader();
  const { status } = await guard.evaluate({ payload: { input: LARGE } });
  const ended = await countEnded(waiting);
  proxy.respond();
  const replies = await Promise.all(waiting);

  expect({ status, ended }).toEqual({ status: "allow", ended: 0 });
  expect(replies.map((reply) => reply.status)).toEqual(Array(36).fill(200));
}, 30_000);

test("few evaluations fetch attachments at once, because each file may have 20 MiB", async () => {
  await using proxy = await startProxy();
  await using kit = await startKit({ settings: { EGRESS_PROXY: proxy.url } });
  const attachments = Array.from({ length: 8 }, (_, at) => ({ url: `https://8.8.8.8/${at}` }));
  const guards = await Promise.all(
    Array.from({ length: 8 }, () => makeGuardWithRules(kit, "doc_analyzer", { action: "report" })),
  );

  const waiting = guards.map(({ send }) => send({ payload: { attachments } }));
  await until(() => proxy.connections.length >= 16);
  await Bun.sleep(500);
  const atOnce = proxy.connections.length;
  proxy.respond();
  const replies = await Promise.all(waiting);

  // Four files of each: two evaluations have left their turns, and two have one.
  expect(atOnce).toBe(16);
  expect(replies.map((reply) => reply.status)).toEqual(Array(8).fill(200));
}, 30_000);

test.each([2 * 1024, LARGE.length, HUGE.length])(
  "an evaluation of %d bytes that a remote detector has read is recorded if its client leaves",
  async (size) => {
    await using detector = startDetector();
    await using kit = await startKit();
    const settings = { url: detector.url, allow_private: true, timeout_ms: 10_000 };
    const guard = await makeGuardWithRules(kit, "http", { action: "report", settings });
    const client = new AbortController();
    const sent = fetch(`${kit.url}/v1/evaluate`, {
      method: "POST",
      headers: { authorization: `Bearer ${guard.key}`, "content-type": "application/json" },
      body: JSON.stringify({ payload: { input: "x".repeat(size) } }),
      signal: client.signal,
    });
    await until(() => detector.calls() === 1);

    client.abort();
    await sent.catch(() => {});
    await Bun.sleep(50);
    detector.respond();

    await until(async () => {
      const reply = await kit.get(`/v1/activity?collector_id=${guard.collector.id}`);
      return ((await reply.json()) as { items: unknown[] }).items.length === 1;
    });
  },
  30_000,
);

/** Returns how many of the promises are settled. */
async function countEnded(promises: readonly Promise<unknown>[]): Promise<number> {
  let ended = 0;
  for (const promise of promises) void promise.finally(() => ended++);
  await Bun.sleep(0);
  return ended;
}

/** A remote detector whose responses wait for `respond`. */
function startDetector() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  const server = Bun.serve({
    port: 0,
    async fetch() {
      calls += 1;
      await promise;
      return Response.json({ matches: [] });
    },
  });
  return {
    url: server.url.href,
    calls: () => calls,
    respond: resolve,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** An egress proxy that refuses connections after `respond`, and does not respond before. */
async function startProxy() {
  const connections: Socket[] = [];
  let isSilent = true;
  const refuse = (socket: Socket) => socket.end("HTTP/1.1 502 No\r\n\r\n");
  const server = createServer((socket) => {
    connections.push(socket.on("error", () => {}));
    if (!isSilent) refuse(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    connections,
    respond() {
      isSilent = false;
      for (const socket of connections) refuse(socket);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
