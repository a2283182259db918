/** The official clients read guarded streams: masked at every split, blocked, and with tool calls. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kitOf = sharedKit();
const EVENTS = { "content-type": "text/event-stream" };
const CARD = "4111 1111 1111 1111";
const TEXT = `Pay with ${CARD} today`;
const MASKED = /^Pay with (?!.*1111)\S+ today$/;
const BLOCKED = "This is top secret stuff";
const messages = [{ role: "user" as const, content: "Hello" }];

type Event = { type?: string; [member: string]: unknown };
const format = (event: Event) =>
  `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;

/** Deltas of text, and a call of a tool with a card in its arguments. */
interface Said {
  deltas: string[];
  calls: boolean;
}
const ARGUMENTS = ['{"card":"4111 1111', ' 1111 1111"}'];

function chat({ deltas, calls }: Said): Event[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const call = { index: 0, id: "call_1", type: "function" };
  return [
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((content) => chunk({ content })),
    ...(calls
      ? [
          chunk({ tool_calls: [{ ...call, function: { name: "pay", arguments: "" } }] }),
          ...ARGUMENTS.map((piece) =>
            chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
          ),
        ]
      : []),
    chunk({}, calls ? "tool_calls" : "stop"),
  ];
}

function anthropic({ deltas, calls }: Said): Event[] {
  const usage = { input_tokens: 5, output_tokens: 1 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage,
  };
  const delta = (index: number, given: object) => ({
    type: "content_block_delta",
    index,
    delta: given,
  });
  const tool = { type: "tool_use", id: "toolu_1", name: "pay", input: {} };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...deltas.map((text) => delta(0, { type: "text_delta", text })),
    { type: "content_block_stop", index: 0 },
    ...(calls
      ? [
          { type: "content_block_start", index: 1, content_block: tool },
          ...ARGUMENTS.map((partial_json) => delta(1, { type: "input_json_delta", partial_json })),
          { type: "content_block_stop", index: 1 },
        ]
      : []),
    {
      type: "message_delta",
      delta: { stop_reason: calls ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: "message_stop" },
  ];
}

function responses({ deltas, calls }: Said): Event[] {
  const text = deltas.join("");
  const base = { id: "resp_1", object: "response", created_at: 1, model: "m" };
  const part = (value: string) => ({ type: "output_text", text: value, annotations: [] });
  const item = { id: "msg_1", type: "message", role: "assistant" };
  const done = { ...item, status: "completed", content: [part(text)] };
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const of = { item_id: "fc_1", output_index: 1 };
  const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "pay" };
  const args = ARGUMENTS.join("");
  const called = { ...call, status: "completed", arguments: args };
  const output = calls ? [done, called] : [done];
  const events: Event[] = [
    { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...at, part: part("") },
    ...deltas.map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    { type: "response.output_text.done", ...at, text, logprobs: [] },
    { type: "response.content_part.done", ...at, part: part(text) },
    { type: "response.output_item.done", output_index: 0, item: done },
    ...(calls
      ? [
          {
            type: "response.output_item.added",
            output_index: 1,
            item: { ...call, status: "in_progress", arguments: "" },
          },
          ...ARGUMENTS.map((delta) => ({
            type: "response.function_call_arguments.delta",
            ...of,
            delta,
          })),
          { type: "response.function_call_arguments.done", ...of, arguments: args },
          { type: "response.output_item.done", output_index: 1, item: called },
        ]
      : []),
    { type: "response.completed", response: { ...base, status: "completed", output } },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

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
    build: (said: Said) => [...chat(said).map(format), "data: [DONE]\n\n"].join(""),
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
    build: (said: Said) => responses(said).map(format).join(""),
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
    build: (said: Said) => anthropic(said).map(format).join(""),
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
};
type Name = keyof typeof CLIENTS;
const NAMES: Name[] = ["chat", "responses", "messages"];

async function makeClient(name: Name) {
  const { provider, build, read } = CLIENTS[name];
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
      const chunks = build(said).split(/(?<=\n\n)/);
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
