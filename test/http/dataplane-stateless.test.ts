/** Completions, moderations, rerank, token counts and compaction: forwarded under the rules of every endpoint. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { Explanation } from "../../src/contract/gateway/explain.ts";
import type { Attach } from "../kit/dataplane.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { until } from "../kit/until.ts";
import type { Script } from "../kit/upstream.ts";

const kit = sharedKit({ settings: { ACTIVITY_COMMIT: "before" } });
const EVENTS = { "content-type": "text/event-stream" };
const MAIL = "jane.doe@example.com";
const COUNT = "/v1/messages/count_tokens";
const HELLO = [{ role: "user" as const, content: "Hello, how are you today?" }];

const setUp = async (attach: Omit<Attach, "url">[], scripts?: Script[], more = {}) =>
  await startConsumer(await kit(), attach, scripts, more);
const sentBody = (one: { upstreams: { hits: { body: Buffer }[] }[] }) =>
  JSON.parse(one.upstreams[0]?.hits[0]?.body.toString() ?? "{}");
const codeOf = async (reply: Response) =>
  ((await reply.json()) as { error: { code: string } }).error.code;

test.each([
  ["openai", "/v1/completions", "/completions"],
  ["azure", "/v1/completions", "/openai/deployments/m-1/completions"],
  ["openai_compatible", "/v1/completions", "/completions"],
  ["openrouter", "/v1/completions", "/completions"],
  ["cerebras", "/v1/completions", "/completions"],
  ["openai", "/v1/moderations", "/moderations"],
  ["mistral", "/v1/moderations", "/moderations"],
  ["cohere", "/v1/rerank", "/rerank"],
  ["openai_compatible", "/v1/rerank", "/rerank"],
  ["openai", "/v1/responses/compact", "/responses/compact"],
  ["openai", "/v1/responses/input_tokens", "/responses/input_tokens"],
  ["anthropic", COUNT, "/messages/count_tokens"],
])("%s: %s is sent to %s, with the mapped model", async (provider, path, target) => {
  await using one = await setUp([{ provider, models: { map: { alias: "m-1" } } }]);

  const reply = await one.post(path, { model: "alias" });

  expect(reply.status).toBe(200);
  expect(one.upstreams[0]?.hits[0]?.path).toBe(target);
  expect(sentBody(one).model).toBe("m-1");
});

test.each([
  "/v1/completions",
  "/v1/moderations",
  "/v1/rerank",
  "/v1/responses/compact",
  "/v1/responses/input_tokens",
])("%s: allow-list, method, sub-path, capability and pin", async (path) => {
  const provider = path === "/v1/rerank" ? "cohere" : "openai";
  await using one = await setUp([{ provider, models: { allowed: ["m-1"] } }]);
  await using other = await setUp([{ provider: "groq" }]);

  const statuses = [
    await one.post(path, { model: "m-2" }),
    await one.post(path, { model: `@groq/m-1` }),
    await one.get(path),
    await one.post(`${path}/x/y`, { model: "m-1" }),
    await other.post(path, { model: "m-1" }),
    await other.post(path, { model: "@groq/m-1" }),
  ].map(({ status }) => status);

  expect(statuses).toEqual([403, 403, 400, 404, 503, 400]);
  expect([...one.hits(), ...other.hits()]).toEqual([0, 0]);
});

test("cohere's rerank is at its own address", async () => {
  const consumer = await makeConsumer(await kit(), [
    { provider: "cohere", url: "", options: { base_url: undefined } },
  ]);
  const body = { method: "POST", path: "/v1/rerank", model: "rerank-v3.5" };

  const reply = await (await kit()).post(`${consumer.path}/explain`, body);

  const { registries } = (await reply.json()) as Explanation;
  expect(registries[0]?.url).toBe("https://api.cohere.ai/v2/rerank");
});

test("moderations without a model do not send the consumer's default, which is a chat model", async () => {
  await using one = await setUp([{ provider: "openai", models: { default: "gpt-4o" } }]);
  const allowed = { allowed: ["gpt-4o"], default: "gpt-4o" };
  await using limited = await setUp([{ provider: "openai", models: allowed }]);

  const reply = await one.post("/v1/moderations", { input: "x" });

  expect(reply.status).toBe(200);
  expect(sentBody(one)).toEqual({ input: "x" });
  expect((await limited.post("/v1/moderations", { input: "x" })).status).toBe(403);
});

test("a token count is sent again after a failure, a completion is not", async () => {
  const failing: Script = { status: 500, body: {} };
  const anthropic = { provider: "anthropic" };
  await using counts = await setUp([anthropic, anthropic], [failing, { body: {} }]);
  await using texts = await setUp([{ provider: "openai" }, { provider: "openai" }], [failing]);

  const replies = [
    await counts.post(COUNT, { model: "m", messages: HELLO }),
    await texts.post("/v1/completions", { model: "m", prompt: "x" }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([200, 500]);
  expect([counts.hits(), texts.hits()]).toEqual([
    [1, 1],
    [1, 0],
  ]);
});

test("the stream of a completion ends with [DONE], and an interrupted one with an error event", async () => {
  const chunk =
    'data: {"id":"c","object":"text_completion","choices":[{"index":0,"text":"a"}]}\n\n';
  const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
  await using whole = await setUp(
    [{ provider: "openai" }],
    [{ headers: EVENTS, chunks: [chunk, usage, "data: [DONE]\n\n"] }],
  );
  await using cut = await setUp([{ provider: "openai" }], [{ headers: EVENTS, chunks: [chunk] }]);
  const body = { model: "m", prompt: "x", stream: true };

  const reply = await whole.post("/v1/completions", body);
  const text = await reply.text();
  const broken = await (await cut.post("/v1/completions", body)).text();

  expect(text).toBe(`${chunk}${usage}data: [DONE]\n\n`);
  expect(broken).toStartWith(chunk);
  expect(broken).toContain('"type":"upstream_error"');
  expect(broken).not.toContain("[DONE]");
  const path = `/v1/gateways/${whole.gateway.id}/requests`;
  await until(async () => {
    const { items } = await (await (await kit()).get(path)).json();
    return items[0]?.endpoint === "completions" && items[0].input_tokens === 3;
  });
});

test("the OpenAI SDK at the demo provider: completions and moderations", async () => {
  const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
  const client = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key });

  const whole = await client.completions.create({ model: "demo-chat", prompt: "Say hello" });
  const stream = await client.completions.create({
    model: "demo-chat",
    prompt: "Say hello",
    stream: true,
  });
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.text ?? "";
  const calm = await client.moderations.create({ input: "Hello" });
  const harsh = await client.moderations.create({
    model: "demo-moderation",
    input: ["Hello", "I will kill you"],
  });

  expect(whole.choices[0]?.text).toContain("Say hello");
  expect(text).toBe(whole.choices[0]?.text ?? "");
  expect(calm.results.map(({ flagged }) => flagged)).toEqual([false]);
  expect(harsh.results.map(({ flagged }) => flagged)).toEqual([false, true]);
  expect(harsh.results[1]?.categories.violence).toBe(true);
});

test("the OpenAI SDK compacts a response and counts its tokens", async () => {
  await using one = await setUp(
    [{ provider: "openai" }],
    [({ path }) => ({ body: { object: path, input_tokens: 7, output: [] } })],
  );
  const client = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key });

  const compacted = await client.responses.compact({ model: "gpt-5", input: "x" });
  const counted = await client.responses.inputTokens.count({ model: "gpt-5", input: "x" });

  expect([compacted.object as string, counted.input_tokens]).toEqual(["/responses/compact", 7]);
});

test("the Anthropic SDK counts tokens where the provider can, without the header of an estimate", async () => {
  const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
  const client = new Anthropic({ baseURL: one.url, apiKey: one.key });

  const { data, response } = await client.messages
    .countTokens({ model: "demo-chat", messages: [{ role: "user", content: "12345678" }] })
    .withResponse();

  expect(data).toEqual({ input_tokens: 2 });
  expect(response.headers.get("x-ag-token-count")).toBeNull();
});

test("without a registry that counts tokens, the count is estimated and no upstream is called", async () => {
  await using one = await setUp([{ provider: "openai", models: { allowed: ["gpt-4o"] } }]);
  const client = new Anthropic({ baseURL: one.url, apiKey: one.key });

  const { data, response } = await client.messages
    .countTokens({ model: "gpt-4o", system: "Be brief.", messages: HELLO })
    .withResponse();
  const refused = await one.post(COUNT, { model: "gpt-4", messages: HELLO });

  expect(response.headers.get("x-ag-token-count")).toBe("estimated");
  expect(data.input_tokens).toBeGreaterThanOrEqual(10);
  expect(data.input_tokens).toBeLessThanOrEqual(25);
  expect(refused.status).toBe(503);
  expect(one.hits()).toEqual([0]);
});

test.each([
  ["English", "The quick brown fox jumps over the lazy dog. ".repeat(200), 2000],
  ["Chinese", "今天天气很好我们去公园散步".repeat(100), 1300],
  ["Russian", "Съешь ещё этих мягких французских булок. ".repeat(100), 1900],
])("the estimate of %s text is within a third of the usual count", async (_, content, usual) => {
  await using one = await setUp([{ provider: "openai" }]);

  const reply = await one.post(COUNT, { model: "m", messages: [{ role: "user", content }] });

  const { input_tokens } = (await reply.json()) as { input_tokens: number };
  expect(input_tokens).toBeGreaterThan(usual * 0.67);
  expect(input_tokens).toBeLessThan(usual * 1.33);
});

test("an estimate counts an image by its size on screen, not by the length of its bytes", async () => {
  await using one = await setUp([{ provider: "openai" }]);
  const source = { type: "base64", media_type: "image/png", data: "A".repeat(1_000_000) };
  const messages = [{ role: "user", content: [{ type: "image", source }] }];

  const reply = await one.post(COUNT, { model: "m", messages });

  const { input_tokens } = (await reply.json()) as { input_tokens: number };
  expect(input_tokens).toBeLessThan(2000);
});

test.each([
  ["completions", "/v1/completions", { model: "m", prompt: `Mail ${MAIL}` }],
  ["completions with several prompts", "/v1/completions", { model: "m", prompt: ["a", MAIL] }],
  ["moderations", "/v1/moderations", { model: "m", input: [MAIL] }],
  ["the query of rerank", "/v1/rerank", { model: "m", query: MAIL, documents: ["a"] }],
  ["a document of rerank", "/v1/rerank", { model: "m", query: "a", documents: [{ text: MAIL }] }],
  ["compaction", "/v1/responses/compact", { model: "m", input: MAIL }],
  ["a token count", "/v1/responses/input_tokens", { model: "m", input: MAIL }],
])("the guard evaluates %s", async (_, path, body) => {
  const { id } = await makeDetector(await kit(), "data_loss_prevention");
  const provider = path === "/v1/rerank" ? "cohere" : "openai";
  const rules = { input_rules: [{ detector_id: id, action: "block" }] };
  await using it = await makeGuardedConsumer(await kit(), rules, { attach: { provider } });

  const reply = await it.post(path, body);

  expect([reply.status, await codeOf(reply)]).toEqual([403, "guard_blocked"]);
  expect(it.upstream.hits.length).toBe(0);
});

test("token ids in a prompt are reported as uninspected", async () => {
  const { id } = await makeDetector(await kit(), "uninspected");
  const rules = { input_rules: [{ detector_id: id, action: "block" }] };
  await using it = await makeGuardedConsumer(await kit(), rules);

  const reply = await it.post("/v1/completions", { model: "m", prompt: [[15496, 995]] });

  expect(await codeOf(reply)).toBe("guard_blocked");
});

test("the guard masks the text of completions and of reranked documents", async () => {
  const { id } = await makeDetector(await kit(), "data_loss_prevention");
  const rules = { output_rules: [{ detector_id: id, action: "transform" }] };
  await using texts = await makeGuardedConsumer(await kit(), rules, {
    script: { body: { choices: [{ index: 0, text: `Mail ${MAIL}` }] } },
  });
  await using ranked = await makeGuardedConsumer(await kit(), rules, {
    script: { body: { results: [{ index: 0, document: { text: MAIL } }] } },
    attach: { provider: "cohere" },
  });

  const text = await (await texts.post("/v1/completions", { model: "m", prompt: "x" })).text();
  const list = await (await ranked.post("/v1/rerank", { model: "m", query: "x" })).text();

  expect([text, list].join()).not.toContain(MAIL);
  expect(JSON.parse(text).choices[0].text).toStartWith("Mail ");
});

test.each(["exact", "observe"])(
  "the guard evaluates the stream of a completion: %s",
  async (stream) => {
    const mails = await makeDetector(await kit(), "data_loss_prevention");
    const words = await makeDetector(await kit(), "prompt_moderation", { keywords: ["forbidden"] });
    const chunk = (text: string, more = {}) =>
      `data: ${JSON.stringify({ id: "c", object: "text_completion", choices: [{ index: 0, text, finish_reason: null, ...more }] })}\n\n`;
    const end = [chunk("", { finish_reason: "stop" }), "data: [DONE]\n\n"];
    const output_rules = [
      { detector_id: mails.id, action: "transform" },
      { detector_id: words.id, action: "block" },
    ];
    await using it = await makeGuardedConsumer(
      await kit(),
      { output_rules },
      { guard: { stream } },
    );
    const ask = async (texts: string[]) => {
      it.upstream.script({
        headers: EVENTS,
        chunks: [...texts.map((text) => chunk(text)), ...end],
      });
      const body = { model: "m", prompt: "x", stream: true };
      const reply = await it.post("/v1/completions", body);
      return { reply, text: await reply.text() };
    };

    const masked = await ask(["Mail jane.d", "oe@example.com now"]);
    const blocked = await ask(["This is forbid", "den."]);

    const verdicts = await Promise.all(
      [masked, blocked].map(async ({ reply }) => {
        const trace_id = reply.headers.get("x-ag-trace-id");
        let found: unknown;
        await until(async () => {
          const all = await it.evaluations(trace_id);
          found = all.find(({ direction }) => direction === "output")?.status;
          return found !== undefined;
        });
        return found;
      }),
    );
    expect(verdicts).toEqual(["transform", "block"]);
    expect(masked.text.endsWith(end.join(""))).toBe(true);
    if (stream === "observe") return;
    expect(masked.text).not.toContain("jane");
    expect(masked.text).toContain("now");
    expect(blocked.text).not.toContain("forbid");
    expect(blocked.text).toContain('"finish_reason":"content_filter"');
    expect(blocked.text).toEndWith("data: [DONE]\n\n");
  },
);
