/** The official clients read guarded streams: masked at every split, blocked, and with tool calls. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { MODEL_STREAMS, type Said } from "../kit/model-streams.ts";

const kitOf = sharedKit();
const EVENTS = { "content-type": "text/event-stream" };
const CARD = "4111 1111 1111 1111";
const TEXT = `Pay with ${CARD} today`;
const MASKED = /^Pay with (?!.*1111)\S+ today$/;
const BLOCKED = "This is top secret stuff";
const messages = [{ role: "user" as const, content: "Hello" }];

interface Result {
  text: string;
  /** Reason of the end, in the words of the API. */
  ended: string | null;
  /** Parsed arguments of the tool call. */
  card: string | undefined;
}

const CLIENTS = {
  chat: {
    provider: "openai",
    async read(url: string, apiKey: string): Promise<Result> {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
      const stream = client.chat.completions.stream({ model: "m", messages });
      const { choices } = await stream.finalChatCompletion();
      const { message, finish_reason: ended } = choices[0] ?? {};
      const [call] = message?.tool_calls ?? [];
      const card = call?.type === "function" ? JSON.parse(call.function.arguments).card : undefined;
      return { text: message?.content ?? "", ended: ended ?? null, card };
    },
    block: "content_filter",
  },
  responses: {
    provider: "openai",
    async read(url: string, apiKey: string): Promise<Result> {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
      const final = await client.responses.stream({ model: "m", input: "Hello" }).finalResponse();
      const call = final.output.find((item) => item.type === "function_call");
      const card = call ? JSON.parse(call.arguments).card : undefined;
      return { text: final.output_text, ended: final.incomplete_details?.reason ?? null, card };
    },
    block: "content_filter",
  },
  messages: {
    provider: "anthropic",
    async read(url: string, apiKey: string): Promise<Result> {
      const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
      const stream = client.messages.stream({ model: "m", max_tokens: 99, messages });
      const { content, stop_reason: ended } = await stream.finalMessage();
      const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
      const call = content.find((block) => block.type === "tool_use");
      return { text, ended, card: call && (call.input as { card: string }).card };
    },
    block: "refusal",
  },
  generate_content: {
    provider: "google",
    async read(url: string, apiKey: string): Promise<Result> {
      const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
      const stream = await client.models.generateContentStream({ model: "m", contents: "Hello" });
      const result: Result = { text: "", ended: null, card: undefined };
      for await (const { candidates: [candidate] = [], functionCalls = [] } of stream) {
        for (const { text = "" } of candidate?.content?.parts ?? []) result.text += text;
        for (const { args } of functionCalls) result.card = (args as { card: string }).card;
        result.ended = candidate?.finishReason ?? result.ended;
      }
      return result;
    },
    block: "SAFETY",
  },
};
type Name = keyof typeof CLIENTS;
const NAMES: Name[] = ["chat", "responses", "messages", "generate_content"];

async function makeClient(name: Name) {
  const { provider, read } = CLIENTS[name];
  const kit = await kitOf();
  const cards = await makeDetector(kit, "data_loss_prevention");
  const words = await makeDetector(kit, "prompt_moderation", { keywords: ["top secret"] });
  const output_rules = [
    { detector_id: cards.id, action: "transform" },
    { detector_id: words.id, action: "block" },
  ];
  const it = await makeGuardedConsumer(kit, { output_rules }, { attach: { provider } });
  return {
    /** Reads a stream whose deltas the upstream sends in one chunk each. */
    async read(said: Said): Promise<Result> {
      const chunks = MODEL_STREAMS[name](said).split(/(?<=\n\n)/);
      it.upstream.script({ headers: EVENTS, chunks });
      return await read(it.url, it.key);
    },
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  };
}

test.each(NAMES)("%s: a card is masked wherever its deltas are split", async (name) => {
  await using client = await makeClient(name);
  const start = TEXT.indexOf(CARD);

  for (let at = start; at <= start + CARD.length; at++) {
    const { text } = await client.read({
      deltas: [TEXT.slice(0, at), TEXT.slice(at)],
      calls: false,
    });
    expect(text).toMatch(MASKED);
  }
  const { text } = await client.read({ deltas: [...TEXT], calls: false });
  expect(text).toMatch(MASKED);
});

test.each(NAMES)("%s: a blocked phrase ends the stream like a filtered response", async (name) => {
  await using client = await makeClient(name);
  const start = BLOCKED.indexOf("top");

  for (const at of [start, start + 2, start + 5, start + 10]) {
    const deltas = [BLOCKED.slice(0, at), BLOCKED.slice(at)];
    const { text, ended, card } = await client.read({ deltas, calls: true });
    expect("This is ").toStartWith(text);
    expect(ended).toBe(CLIENTS[name].block);
    expect(card).toBe(undefined);
  }
});

test.each(NAMES)("%s: the arguments of a tool call are masked", async (name) => {
  await using client = await makeClient(name);

  const { text, card } = await client.read({ deltas: ["I ", "pay."], calls: true });

  expect(text).toBe("I pay.");
  expect(card).toMatch(/^(?!.*1111)\S+$/);
});
