/** Streamed responses of a guarded consumer: masked, blocked, observed, and unreadable. */
import { expect, test } from "bun:test";
import { type Draft, makeDetector } from "../kit/guard.ts";
import { type GuardedOptions, makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";

const kitOf = sharedKit({ settings: { ACTIVITY_COMMIT: "before" } });
const CHAT = "/v1/chat/completions";
const EVENTS = { "content-type": "text/event-stream" };
const MAIL = "jane.doe@example.com";
const ASK = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "Hello" }] };

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
const USAGE =
  'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n';
const END = [chunk({}, { finish_reason: "stop" }), USAGE, "data: [DONE]\n\n"];

/** A consumer whose responses are checked for personal data, and for a word that blocks. */
async function makeStreaming(
  chunks: (string | number | Promise<void>)[],
  { policy = {}, ...options }: GuardedOptions & { policy?: Draft } = {},
) {
  const kit = await kitOf();
  const mails = await makeDetector(kit, "data_loss_prevention");
  const words = await makeDetector(kit, "prompt_moderation", { keywords: ["forbidden"] });
  const output_rules = [
    { detector_id: mails.id, action: "transform" },
    { detector_id: words.id, action: "block" },
  ];
  return await makeGuardedConsumer(
    kit,
    { output_rules, ...policy },
    { script: { headers: EVENTS, chunks }, ...options },
  );
}

const textOf = (stream: string): string =>
  [...stream.matchAll(/^data: (\{.*)$/gm)]
    .flatMap(([, data = ""]) => JSON.parse(data).choices ?? [])
    .map(({ delta }) => delta.content ?? "")
    .join("");

test("a match that the upstream splits over chunks is masked, and the evaluation is recorded once", async () => {
  const stream = [chunk({ content: "Write to jane.d" }), chunk({ content: "oe@example.com now" })];
  await using it = await makeStreaming([...stream, ...END]);

  const reply = await it.post(CHAT, ASK);
  const text = await reply.text();

  expect(reply.headers.get("x-ag-guard")).toBe("allow");
  expect(text).not.toContain("jane");
  expect(textOf(text)).toMatch(/^Write to \S+ now$/);
  expect(text).toEndWith(END.join(""));
  const trace_id = reply.headers.get("x-ag-trace-id");
  expect(await it.evaluations(trace_id)).toMatchObject([
    { direction: "input", status: "allow" },
    { direction: "output", status: "transform" },
  ]);
  expect(await it.event(trace_id)).toMatchObject({
    status: 200,
    error_code: null,
    input_tokens: 7,
    output_tokens: 2,
  });
});

test("a blocked stream ends like a filtered response, and the upstream call is canceled", async () => {
  const never = new Promise<void>(() => {});
  const stream = [chunk({ content: "It is " }), chunk({ content: "forbidden." })];
  await using it = await makeStreaming([...stream, ...END, never]);

  const reply = await it.post(CHAT, ASK);
  const text = await reply.text();

  expect(text).not.toContain("forbidden");
  expect(text).toContain('"finish_reason":"content_filter"');
  expect(text).toEndWith("data: [DONE]\n\n");
  const trace_id = reply.headers.get("x-ag-trace-id");
  expect(await it.event(trace_id)).toMatchObject({ status: 200, error_code: "guard_blocked" });
  expect(await it.evaluations(trace_id)).toMatchObject([
    { direction: "input" },
    { direction: "output", status: "block" },
  ]);
  await until(() => it.upstream.hits[0]?.cancelled === true);
});

test("in observe mode bytes pass at once, and the complete response is recorded", async () => {
  const next = Promise.withResolvers<void>();
  const first = chunk({ content: `It is forbidden to write to ${MAIL}` });
  await using it = await makeStreaming([first, next.promise, ...END], {
    guard: { stream: "observe" },
  });

  const reply = await it.post(CHAT, ASK);
  const reader = reply.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  next.resolve();
  let rest = "";
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    rest += Buffer.from(read.value).toString();
  }

  expect(Buffer.from(value ?? []).toString() + rest).toBe([first, ...END].join(""));
  const trace_id = reply.headers.get("x-ag-trace-id");
  await until(async () => (await it.evaluations(trace_id)).length === 2);
  expect(await it.evaluations(trace_id)).toMatchObject([
    {},
    { direction: "output", status: "block" },
  ]);
});
