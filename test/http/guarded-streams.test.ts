/** Events of a guarded stream: incomplete calls, texts that are no part of the response, and turns of large events. */
import { expect, test } from "bun:test";
import {
  createLateEvaluations,
  MAX_LATE_EVALUATIONS,
} from "../../src/dataplane/guard/stream/late-evaluations.ts";
import { MAX_LONG_TEXTS } from "../../src/dataplane/guard/stream/text-turns.ts";
import type { Json } from "../kit/check-verdict.ts";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";

const kitOf = sharedKit();

const DONE = "data: [DONE]\n\n";
const toData = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const toScript = (chunks: string[]) => ({
  headers: { "content-type": "text/event-stream" },
  chunks,
});

/** Reads a stream of chat that may call `order` only with an amount. */
async function readOrder(events: object[]): Promise<string> {
  const kit = await kitOf();
  const known_tools = [{ name: "order", parameters: { required: ["amount"] } }];
  const { id: detector_id } = await makeDetector(kit, "tool_selection", { known_tools });
  const script = toScript([...events.map(toData), DONE]);
  const output_rules = [{ detector_id, action: "block" }];
  await using it = await makeGuardedConsumer(kit, { output_rules }, { script });
  const reply = await it.post("/v1/chat/completions", { model: "m", messages: [], stream: true });
  return await reply.text();
}

const createCall = (args: string) => ({
  tool_calls: [{ index: 0, id: "c", function: { name: "order", arguments: args } }],
});
const finish = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };

test.each([
  ["sent", '{"amount":1}'],
  ["blocked", "{}"],
])("an event whose delta and message contain the same call is %s: %s", async (outcome, args) => {
  const call = createCall(args);
  const events = [{ choices: [{ index: 0, delta: call, message: call }] }, finish];

  const text = await readOrder(events);

  expect(text.includes("order")).toBe(outcome === "sent");
});

test("an event whose message contains the call that its delta ends is sent", async () => {
  const [start, end] = ['{"amount":', "1}"];
  const delta = { tool_calls: [{ index: 0, function: { arguments: end } }] };
  const events = [
    { choices: [{ index: 0, delta: createCall(start) }] },
    { choices: [{ index: 0, delta, message: createCall(start + end) }] },
    finish,
  ];

  expect(await readOrder(events)).toContain("order");
});

test("a call beside another text of its event is evaluated when it is complete", async () => {
  const events = [
    {
      note: "hello my dear old friend",
      choices: [{ index: 0, delta: createCall('{"amount":1}') }],
    },
    finish,
  ];

  expect(await readOrder(events)).toContain("order");
});

const CARD = "4111 1111 1111 1111";
const message = { id: "m", role: "assistant", content: [], model: "m", usage: {} };
const started = { type: "message_start", message };

/** Reads an observed stream. Returns the evaluations of its response, at least `count`. */
async function observe(path: string, chunks: string[], count = 1): Promise<Json[]> {
  const kit = await kitOf();
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  const output_rules = [{ detector_id, action: "report" }];
  const provider = path === "/v1/messages" ? "anthropic" : "openai";
  const options = {
    script: toScript(chunks),
    guard: { stream: "observe" },
    attach: { provider },
    collector: { fail_mode: "open" },
  };
  await using it = await makeGuardedConsumer(kit, { output_rules }, options);
  const reply = await it.post(path, { model: "m", max_tokens: 9, messages: [], stream: true });
  expect(await reply.text()).toStartWith(chunks.join(""));
  let events: Json[] = [];
  await until(async () => {
    if (kit.deps.live.late_evaluations.running > 0) return false;
    events = (await it.evaluations(reply.headers.get("x-ag-trace-id"))).slice(1);
    return events.length >= count;
  });
  return events;
}

test.each<[string, string, string[]]>([
  ["an event of an unknown type", "/v1/messages", [toData({ type: "x", delta: { text: CARD } })]],
  ["an unknown member", "/v1/chat/completions", [toData({ note: CARD, choices: [] })]],
  [
    "a member that a later event replaces",
    "/v1/chat/completions",
    [CARD, "ok"].map((note) => toData({ choices: [{ index: 0, note, delta: {} }] })),
  ],
  ["a comment", "/v1/chat/completions", [`: pay ${CARD} now\n\n`]],
])("text in %s of an observed stream is evaluated", async (_, path, chunks) => {
  const events = await observe(path, [...chunks, DONE], 2);

  expect(events).toMatchObject([{ status: "allow" }, { status: "report" }]);
});

test("harmless text beside the response of an observed stream is not recorded", async () => {
  const chunks = [toData({ provider: "Example", choices: [] }), DONE];

  expect(await observe("/v1/chat/completions", chunks)).toHaveLength(1);
});

test("an observed stream with an event that is named after another type is recorded as unread", async () => {
  const named = `event: content_block_delta\n${toData({ type: "ping", delta: { text: CARD } })}`;

  const [event] = await observe("/v1/messages", [toData(started), named]);

  expect(event).toMatchObject({ detectors: { uninspected: [{ reason: "unreadable" }] } });
});

test.each([
  ["before", [toData({ choices: [{ index: 0, delta: { content: CARD } }] }), 'data: {"choi']],
  ["in", [`data: {"choices":[{"index":0,"delta":{"content":"pay ${CARD} no`]],
])(
  "a client that disconnects within an event of an observed stream: the text %s it is evaluated",
  async (_, chunks) => {
    const kit = await kitOf();
    const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
    const output_rules = [{ detector_id, action: "report" }];
    const options = {
      script: { ...toScript([chunks.join("")]), ending: "hang" as const },
      guard: { stream: "observe" },
    };
    await using it = await makeGuardedConsumer(kit, { output_rules }, options);
    const body = JSON.stringify({ model: "m", messages: [], stream: true });
    const leaving = new AbortController();
    const { signal } = leaving;
    const reply = await it.call("/v1/chat/completions", { method: "POST", body, signal });
    await reply.body?.getReader().read();
    leaving.abort();

    let events: Json[] = [];
    await until(async () => {
      events = (await it.evaluations(reply.headers.get("x-ag-trace-id"))).slice(1);
      return events.some(({ status }) => status === "report");
    });
    expect(events).not.toMatchObject([{ detectors: { uninspected: [{}] } }]);
  },
);

/** Delays the turns of the main thread until it is disposed, as large bodies of other owners would. Short requests pass. */
function delayTurns({ deps: { turns } }: Kit): Disposable {
  const { take } = turns;
  const { promise, resolve } = Promise.withResolvers<void>();
  turns.take = async (turn) => {
    if (turn.ms > 0.5) await promise;
    await take(turn);
  };
  return {
    [Symbol.dispose]() {
      turns.take = take;
      resolve();
    },
  };
}

const toChunk = (content: string, more: object = {}) =>
  toData({ choices: [{ index: 0, delta: { content } }], ...more });

/** Reads a stream while other owners have their turns. Returns the sizes that arrive before and after its end. */
async function readInTurn(chunks: string[], guard: Json, isReady: (size: number) => boolean) {
  const kit = await kitOf();
  const script = toScript([...chunks, DONE]);
  await using it = await makeGuardedConsumer(kit, { output_rules: [] }, { script, guard });
  let size = 0;
  const read = async () => {
    const body = { model: "m", messages: [], stream: true };
    const reply = await it.post("/v1/chat/completions", body);
    for await (const chunk of reply.body ?? []) size += chunk.length;
  };

  const delay = delayTurns(kit);
  const ended = read();
  await until(() => isReady(size));
  await Bun.sleep(200);
  const before = size;
  delay[Symbol.dispose]();
  await ended;
  return { before, after: size };
}

test("a large event of a masked stream waits for its turn", async () => {
  const chunk = toChunk("Hello there. How are you? ", { token_ids: Array(8000).fill(1) });

  const { before, after } = await readInTurn([chunk], {}, () => true);

  expect(before).toBe(0);
  expect(after).toBeGreaterThan(chunk.length);
});

test("an observed stream is relayed at most 256 KiB ahead of its large events, which wait for their turn", async () => {
  const chunks: string[] = Array(200).fill(toChunk("word ".repeat(3000)));
  const isReady = (size: number) => size > 32 * 1024;

  const { before, after } = await readInTurn(chunks, { stream: "observe" }, isReady);

  expect(before).toBeLessThan(256 * 1024);
  expect(after).toBeGreaterThan(chunks.join("").length);
});

/** Starts a remote detector that returns its result when it is released. */
function startSlowDetector() {
  const released = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    async fetch() {
      await released.promise;
      return Response.json({ matched: false });
    },
  });
  return {
    url: server.url.href,
    release: released.resolve,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

test("a consumer whose ended streams are still evaluated waits before its next stream, and others do not", async () => {
  const kit = await kitOf();
  await using slow = startSlowDetector();
  const settings = { url: slow.url, allow_private: true, timeout_ms: 10_000 };
  const { id: detector_id } = await makeDetector(kit, "http", settings);
  const policy = { output_rules: [{ detector_id, action: "report" }] };
  const options = { guard: { stream: "observe" }, script: toScript([toChunk("Hello"), DONE]) };
  await using one = await makeGuardedConsumer(kit, policy, options);
  await using other = await makeGuardedConsumer(kit, policy, options);
  const read = async ({ post }: Pick<typeof one, "post">) => {
    const reply = await post("/v1/chat/completions", { model: "m", messages: [], stream: true });
    return await reply.text();
  };

  for (let count = 0; count < MAX_LATE_EVALUATIONS; count++) await read(one);
  await until(() => kit.deps.live.late_evaluations.running === MAX_LATE_EVALUATIONS);
  const next = read(one);
  const first = await Promise.race([next.then(() => "next"), Bun.sleep(200).then(() => "none")]);
  const others = await read(other);
  slow.release();

  expect(first).toBe("none");
  expect(others).toContain("Hello");
  expect(await next).toContain("Hello");
}, 30_000);

/** Counts the long texts that are evaluated at once, or wait for a worker. */
function watchWorkers({ deps: { workers } }: Kit) {
  const { large } = workers;
  let current = 0;
  const counts = {
    max: 0,
    [Symbol.dispose]() {
      workers.large = large;
    },
  };
  workers.large = async (job) => {
    current += 1;
    counts.max = Math.max(counts.max, current);
    return await large(job).finally(() => {
      current -= 1;
    });
  };
  return counts;
}

test.each(["exact", "observe"])(
  "long texts of streams (%s) that end together are evaluated a few at a time, and none is lost",
  async (stream) => {
    const kit = await kitOf();
    const rest = Promise.withResolvers<void>();
    const chunks = [toChunk("Hello"), rest.promise, toChunk("word ".repeat(15_000)), DONE];
    const script = { headers: { "content-type": "text/event-stream" }, chunks };
    const options = { guard: { stream }, script };
    await using it = await makeGuardedConsumer(kit, { output_rules: [] }, options);
    const body = { model: "m", messages: [], stream: true };
    const open = () => it.post("/v1/chat/completions", body);

    using counts = watchWorkers(kit);
    const replies = await Promise.all(Array.from({ length: 60 }, open));
    rest.resolve();
    const texts = await Promise.all(replies.map((reply) => reply.text()));
    await until(() => kit.deps.live.late_evaluations.running === 0);

    for (const text of texts) expect(text).toEndWith(DONE);
    expect(counts.max).toBe(MAX_LONG_TEXTS);
    for (const reply of replies) {
      const [, output] = await it.evaluations(reply.headers.get("x-ag-trace-id"));
      expect(output).toMatchObject({ status: "allow", detectors: { uninspected: [] } });
    }
  },
  30_000,
);

test("a consumer that disconnects while it waits for its next stream leaves nothing behind", async () => {
  const late = createLateEvaluations();
  const { promise, resolve } = Promise.withResolvers<void>();
  const all = Array.from({ length: MAX_LATE_EVALUATIONS }, () => late.run("a", () => promise));
  const leaving = new AbortController();

  const left = late.waitForRoom("a", { signal: leaving.signal });
  const waiting = late.waitForRoom("a", new Request("http://localhost"));
  leaving.abort();
  await expect(left).rejects.toThrow("aborted");
  resolve();
  await Promise.all([...all, waiting]);

  expect(late.running).toBe(0);
  expect(late.waitForRoom("a", new Request("http://localhost"))).toBeUndefined();
});

test("events that arrive before a client disconnects, and that it did not receive, are not evaluated", async () => {
  const kit = await kitOf();
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  const policy = { output_rules: [{ detector_id, action: "transform" }] };
  const words = Array.from({ length: 4000 }, (_, at) => toChunk(`a${at}@example.com `));
  await using it = await makeGuardedConsumer(kit, policy, {
    script: toScript([toChunk("Hello. I am here. "), words.join(""), DONE]),
  });
  const body = JSON.stringify({ model: "m", messages: [], stream: true });
  const leaving = new AbortController();
  const { signal } = leaving;
  const reply = await it.call("/v1/chat/completions", { method: "POST", body, signal });
  await reply.body?.getReader().read();
  leaving.abort();

  const trace_id = reply.headers.get("x-ag-trace-id");
  let evaluations: Json[] = [];
  await until(async () => {
    evaluations = await it.evaluations(trace_id);
    return evaluations.length === 2;
  });
  const [, output] = evaluations as { findings: { evidence: { count: number } }[] }[];
  expect(output?.findings[0]?.evidence.count ?? 0).toBeLessThan(words.length);
}, 30_000);
