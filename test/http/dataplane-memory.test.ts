/** Memory depends on requests in flight, not on requests that have ended. */
import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { startKit } from "../kit/kit.ts";
import { postAndStall } from "../kit/stalled-client.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { minOfRuns, until } from "../kit/until.ts";
import { startLimited } from "../limiter/limited.ts";

const MIB = 1024 * 1024;
const COUNT_EVENTS = "SELECT COUNT(*) AS n FROM request_events";

test("thousands of requests, each with another model, user and trace, leave nothing in memory", async () => {
  const clock = createTestClock();
  await using kit = await startKit({ now: clock.now, elapsedMs: clock.elapsedMs });
  await using one = await startLimited(kit, { limits: { per_user: { limit: 1, window: "1s" } } });
  const ask = async () => {
    const headers = { "x-user-id": crypto.randomUUID(), traceparent: traceparent() };
    const reply = await one.post("/v1/chat/completions", { model: crypto.randomUUID() }, headers);
    await reply.arrayBuffer();
  };
  let sent = 0;
  /** Returns the memory used after `count` more requests, once their windows have ended and their events are stored. */
  const heldAfter = async (count: number) => {
    for (let left = count; left > 0; left -= 32) {
      await Promise.all(Array.from({ length: 32 }, ask));
      sent += 32;
      clock.advance(1500);
    }
    await until(async () => (await kit.db.one<{ n: number }>(COUNT_EVENTS))?.n === sent);
    one.upstream.hits.length = 0;
    kit.lines.length = 0;
    Bun.gc(true);
    return heapStats().heapSize;
  };
  await heldAfter(3000);
  const before = await heldAfter(3000);

  // A leak would be larger in each run.
  const growth = await minOfRuns(async () => (await heldAfter(6000)) - before, 2 * MIB);

  expect(growth).toBeLessThan(2 * MIB);
}, 60_000);

test("ids of many kilobytes that no object has leave nothing in memory", async () => {
  await using kit = await startKit();
  await using one = await startConsumer(kit, [{ provider: "openai" }], [], { files_scope: "own" });
  const ask = async () => {
    const file_ids = [crypto.randomUUID() + "f".repeat(4 * MIB)];
    const reply = await one.post("/v1/chat/completions", { model: "m", messages: [], file_ids });
    expect(reply.status).toBe(404);
    await reply.arrayBuffer();
  };
  const heldAfter = async (count: number) => {
    for (let left = count; left > 0; left--) await ask();
    Bun.gc(true);
    return heapStats().heapSize + heapStats().extraMemorySize;
  };
  const before = await heldAfter(2);

  const after = await heldAfter(16);

  expect(after - before).toBeLessThan(24 * MIB);
}, 30_000);

test("a body of one long name, and a query of many indexes, take little CPU time", async () => {
  await using kit = await startKit();
  const attach = { provider: "openai", models: { allowed: ["m"] } };
  await using one = await startConsumer(kit, [attach], [], { files_scope: "own" });
  const name = "\u00e9".repeat(3 * MIB);
  const body = `{"model":"m","input":[{"${name}":1,"id":"msg_1"}]}`;
  await (await one.post("/v1/responses?a.b=c", { model: "m", input: "x" })).arrayBuffer();
  const before = process.cpuUsage();

  const reply = await one.post("/v1/responses", body);
  for (let left = 8; left > 0; left--) {
    await one.post(`/v1/responses?${".".repeat(12_000)}`, { model: "m", input: "x" });
  }

  const { user, system } = process.cpuUsage(before);
  expect(reply.status).toBe(404);
  expect((user + system) / 1000).toBeLessThan(600);
});

test.each([
  ["files_scope own", "own", "openai", 15 * MIB],
  ["a guard", "shared", "openai", 15 * MIB],
  // Longer responses are not translated.
  ["a translation", "shared", "deepseek", 7.5 * MIB],
])(
  "a response that its client does not read counts for its consumer until it disconnects, with %s",
  async (name, files_scope, provider, length) => {
    // A consumer may hold three quarters: three responses, but not four.
    const settings = { IN_FLIGHT_MIB: String(Math.ceil((length * 4.2) / MIB)) };
    await using kit = await startKit({ settings });
    const detector = await makeDetector(kit, "secrets");
    const policy = { output_rules: [{ detector_id: detector.id, action: "report" }] };
    const text = " ".repeat(length);
    const output = [{ type: "message", content: [{ type: "output_text", text }] }];
    const message = { role: "assistant", content: text };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    const options = {
      script: { body: provider === "openai" ? { id: "resp_1", output } : { choices } },
      consumer: { files_scope },
      guard: name === "a guard" ? {} : { llm: { input: false, output: false } },
      attach: { provider },
    };
    await using one = await makeGuardedConsumer(kit, policy, options);
    await using other = await makeGuardedConsumer(kit, policy, options);
    const body = JSON.stringify({ model: "m", input: "x" });
    const url = `${one.url}/v1/responses`;
    const countReceived = async (consumer = one) => {
      const reply = await consumer.post("/v1/responses", body);
      return (await reply.bytes()).length;
    };

    const stalled = [1, 2, 3].map(() => postAndStall(url, { "x-ag-api-key": one.key }, body));
    for (const each of stalled) await each;
    expect(await countReceived()).toBeLessThan(1024);
    expect(await countReceived(other)).toBeGreaterThan(length);
    for (const each of stalled) (await each).destroy();

    await until(async () => (await countReceived()) > length);
  },
  20_000,
);

test.each(["exact", "observe"])(
  "the texts of guarded streams (%s) count for their consumer until they are evaluated",
  async (stream) => {
    // Two texts of 3 MB count twice each, which is the share of a consumer.
    await using kit = await startKit({ settings: { IN_FLIGHT_MIB: "16" } });
    const rest = Promise.withResolvers<void>();
    const content = "word ".repeat(4000);
    const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    const script = {
      headers: { "content-type": "text/event-stream" },
      chunks: [event.repeat(150), rest.promise, "data: [DONE]\n\n"],
    };
    const options = { guard: { stream }, script };
    await using one = await makeGuardedConsumer(kit, { output_rules: [] }, options);
    const send = async () => {
      const body = { model: "m", messages: [], stream: true };
      const reply = await one.post("/v1/chat/completions", body);
      return { trace_id: reply.headers.get("x-ag-trace-id"), text: reply.text() };
    };

    const first = [await send(), await send()];
    await until(() => kit.deps.heldBytes.reserved > 11 * MIB);
    const third = await send();
    rest.resolve();
    for (const { text } of [...first, third]) await text;

    await until(async () => (await one.evaluations(third.trace_id)).length === 2);
    const [, unread] = await one.evaluations(third.trace_id);
    expect(unread).toMatchObject({ detectors: { uninspected: [{ reason: "unreadable" }] } });
    for (const { trace_id } of first) {
      await until(async () => (await one.evaluations(trace_id)).length === 2);
      const [, read] = await one.evaluations(trace_id);
      expect(read).toMatchObject({ status: "allow", detectors: { uninspected: [] } });
    }
    await until(() => kit.deps.heldBytes.reserved === 0);
  },
  30_000,
);

/** Returns the bytes that a stream reserves before its end, which are more than `min`. */
async function reserveByStream(stream: string, start: string, min: number): Promise<number> {
  await using kit = await startKit({ settings: { IN_FLIGHT_MIB: "64" } });
  const rest = Promise.withResolvers<void>();
  const headers = { "content-type": "text/event-stream" };
  const script = { headers, chunks: [start, rest.promise, "\n\ndata: [DONE]\n\n"] };
  const options = { guard: { stream }, script };
  await using one = await makeGuardedConsumer(kit, { output_rules: [] }, options);
  const body = { model: "m", messages: [], stream: true };
  const text = one.post("/v1/chat/completions", body).then((reply) => reply.text());
  const { heldBytes } = kit.deps;
  await until(() => heldBytes.reserved > min);
  await Bun.sleep(100);
  const { reserved } = heldBytes;
  rest.resolve();
  await text;
  await until(() => heldBytes.reserved === 0);
  return reserved;
}

const LONG = "word ".repeat(200_000);
const toEvent = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const repeated = { usage: { total_tokens: 1 }, filters: { results: "safe ".repeat(100) } };
const delta = { content: "Hi. " };

test.each(
  ["exact", "observe"].flatMap(
    (stream) =>
      [
        [stream, "an unfinished event", `data: {"choices":[],"more":"${LONG}`, 1.8, 2.5],
        [stream, "a large event", toEvent({ choices: [], more: LONG }), 1.8, 5],
        [
          stream,
          "members of many events",
          Array.from({ length: 20 }, (_, at) =>
            toEvent({
              choices: [
                { index: 0, delta: { [`member ${at}`]: { note: LONG.slice(0, 100_000) } } },
              ],
            }),
          ).join(""),
          1.8,
          9,
        ],
        [
          stream,
          "members that every event repeats",
          toEvent({ choices: [{ index: 0, delta }], ...repeated }).repeat(3000),
          0.02,
          0.5,
        ],
      ] as const,
  ),
)(
  "a guarded stream (%s) reserves memory for %s",
  async (stream, _, start, min, max) => {
    const reserved = await reserveByStream(stream, start, min * MIB);

    expect(reserved / MIB).toBeLessThan(max);
  },
  30_000,
);

const traceparent = () => `00-${crypto.randomUUID().replaceAll("-", "")}-b7ad6b7169203331-01`;
