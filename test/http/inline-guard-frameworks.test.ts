/** The Vercel AI SDK and LangChain read guarded responses: masked at every split, blocked, and with tool calls. */
import { beforeAll, expect, test } from "bun:test";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { installFromNpm } from "../kit/install-from-npm.ts";
import { sharedKit } from "../kit/kit.ts";
import { MODEL_STREAMS, type Said } from "../kit/model-streams.ts";

const kitOf = sharedKit();
const CARD = "4111 1111 1111 1111";
const TEXT = `Pay with ${CARD} today`;
const MASKED = /^Pay with (?!.*1111)\S+ today$/;
const BLOCKED = "This is top secret stuff";

interface Result {
  text: string;
  /** Reason of the end, in the words of the framework. */
  ended: unknown;
  card: unknown;
}
type Read = (url: string, key: string, prompt: string) => Promise<Result>;
interface Client {
  api: keyof typeof MODEL_STREAMS;
  read: Read;
  block: string;
}

// The frameworks are installed for this test, so that `npm ci` does not wait for them: they have no types here.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Untyped = any;
let load: (name: string) => Promise<Untyped>;

beforeAll(async () => {
  const folder = await installFromNpm("portcullis-frameworks", {
    "@ai-sdk/anthropic": "4.0.102",
    "@ai-sdk/openai": "4.0.114",
    "@langchain/anthropic": "1.5.11",
    "@langchain/core": "1.2.13",
    "@langchain/openai": "1.6.0",
    ai: "7.0.169",
    zod: "4.1.13",
  });
  const { resolve } = createRequire(join(folder, "package.json"));
  load = (name) => import(pathToFileURL(resolve(name)).href);
}, 240_000);

/** Reads a stream with the AI SDK. */
async function readWithAi(model: Untyped, prompt: string): Promise<Result> {
  const { streamText, jsonSchema } = await load("ai");
  let thrown: unknown;
  const result = streamText({
    model,
    prompt,
    maxOutputTokens: 99,
    maxRetries: 0,
    tools: { pay: { inputSchema: jsonSchema({ type: "object" }) } },
    onError: ({ error }: { error: unknown }) => {
      thrown = error;
    },
  });
  let text = "";
  for await (const part of result.textStream) text += part;
  if (thrown) throw thrown;
  const [call] = await result.toolCalls;
  return { text, ended: await result.finishReason, card: call?.input?.card };
}

/** Reads a stream with LangChain. */
async function readWithLangChain(model: Untyped, prompt: string, reason: string): Promise<Result> {
  let whole: Untyped;
  for await (const chunk of await model.stream(prompt)) whole = whole?.concat(chunk) ?? chunk;
  const { content, response_metadata, additional_kwargs, tool_calls } = whole;
  const parts = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const text = parts.map((part: Untyped) => (part.type === "text" ? part.text : "")).join("");
  const ended = response_metadata?.[reason] ?? additional_kwargs?.[reason];
  return { text, ended, card: tool_calls?.[0]?.args?.card };
}

const CLIENTS: Record<string, Client> = {
  "AI SDK, chat": {
    api: "chat",
    async read(url, apiKey, prompt) {
      const { createOpenAI } = await load("@ai-sdk/openai");
      return await readWithAi(createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat("m"), prompt);
    },
    block: "content-filter",
  },
  "AI SDK, responses": {
    api: "responses",
    async read(url, apiKey, prompt) {
      const { createOpenAI } = await load("@ai-sdk/openai");
      const model = createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses("m");
      return await readWithAi(model, prompt);
    },
    block: "content-filter",
  },
  "AI SDK, messages": {
    api: "messages",
    async read(url, apiKey, prompt) {
      const { createAnthropic } = await load("@ai-sdk/anthropic");
      return await readWithAi(createAnthropic({ baseURL: `${url}/v1`, apiKey })("m"), prompt);
    },
    block: "content-filter",
  },
  "LangChain, chat": {
    api: "chat",
    async read(url, apiKey, prompt) {
      const { ChatOpenAI } = await load("@langchain/openai");
      const configuration = { baseURL: `${url}/v1` };
      const model = new ChatOpenAI({ model: "m", apiKey, maxRetries: 0, configuration });
      return await readWithLangChain(model, prompt, "finish_reason");
    },
    block: "content_filter",
  },
  "LangChain, messages": {
    api: "messages",
    async read(url, apiKey, prompt) {
      const { ChatAnthropic } = await load("@langchain/anthropic");
      const model = new ChatAnthropic({ model: "m", apiKey, maxRetries: 0, anthropicApiUrl: url });
      return await readWithLangChain(model, prompt, "stop_reason");
    },
    block: "refusal",
  },
};
const NAMES = Object.keys(CLIENTS);

async function makeClient(name: string) {
  const client = CLIENTS[name];
  if (!client) throw new Error(`Unknown client ${name}.`);
  const kit = await kitOf();
  const cards = await makeDetector(kit, "data_loss_prevention");
  const words = await makeDetector(kit, "prompt_moderation", { keywords: ["top secret"] });
  const rules = [
    { detector_id: cards.id, action: "transform" },
    { detector_id: words.id, action: "block" },
  ];
  const provider = client.api === "messages" ? "anthropic" : "openai";
  const policy = { input_rules: rules, output_rules: rules };
  const it = await makeGuardedConsumer(kit, policy, { attach: { provider } });
  return {
    ...client,
    async read(said: Said, prompt = "Hello"): Promise<Result> {
      const chunks = MODEL_STREAMS[client.api](said).split(/(?<=\n\n)/);
      it.upstream.script({ headers: { "content-type": "text/event-stream" }, chunks });
      return await client.read(it.url, it.key, prompt);
    },
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  };
}

test.each(NAMES)("%s: a card is masked wherever its deltas are split", async (name) => {
  await using client = await makeClient(name);
  const start = TEXT.indexOf(CARD);

  for (let at = start; at <= start + CARD.length; at++) {
    const deltas = [TEXT.slice(0, at), TEXT.slice(at)];
    const { text, ended } = await client.read({ deltas, calls: false });
    expect(text).toMatch(MASKED);
    expect(ended).not.toBe(client.block);
  }
});

test.each(NAMES)("%s: a blocked phrase ends the stream like a filtered response", async (name) => {
  await using client = await makeClient(name);
  const start = BLOCKED.indexOf("top");

  for (const at of [start, start + 5]) {
    const deltas = [BLOCKED.slice(0, at), BLOCKED.slice(at)];
    const { text, ended, card } = await client.read({ deltas, calls: true });
    expect("This is ").toStartWith(text);
    expect(ended).toBe(client.block);
    expect(card).toBe(undefined);
  }
});

test.each(NAMES)("%s: the arguments of a tool call are masked", async (name) => {
  await using client = await makeClient(name);

  const { text, card } = await client.read({ deltas: ["I ", "pay."], calls: true });

  expect(text).toBe("I pay.");
  expect(card).toMatch(/^(?!.*1111)\S+$/);
});

test.each(NAMES)("%s: a blocked prompt is an error of the API with status 403", async (name) => {
  await using client = await makeClient(name);

  const thrown = await client.read({ deltas: ["Hi"], calls: false }, "It is top secret").then(
    () => undefined,
    (error: Untyped) => error,
  );

  expect(thrown?.statusCode ?? thrown?.status).toBe(403);
  expect(String(thrown?.message)).toContain("keyreg");
  expect(String(thrown?.message)).not.toContain("top secret");
});
