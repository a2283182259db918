import { expect, test } from "bun:test";
import { handleChat } from "../../../demo/chat.ts";
import { handleMessages } from "../../../demo/messages.ts";
import { handleResponses } from "../../../demo/responses.ts";
import type { TextStream } from "../../../deps.ts";
import { createChatDialect } from "./chat-dialect.ts";
import type { Dialect } from "./dialect.ts";
import { createStreamMask, type EvaluatedText } from "./mask-stream.ts";
import { createMessagesDialect } from "./messages-dialect.ts";
import { createResponsesDialect } from "./responses-dialect.ts";
import { createEventSplitter } from "./split-events.ts";

const SECRET = "4111 1111";
const MASK = "[card]";
const FORBIDDEN = "\u00a7never\u00a7";

const maskText = (text: string) => text.replaceAll(SECRET, MASK);

/** Masks one word and blocks another; holds back what may be the start of either. */
function openText(): TextStream {
  let rest = "";
  const emit = (keep: number) => {
    const at = rest.indexOf(FORBIDDEN);
    if (at >= 0) return { text: maskText(rest.slice(0, at)), blocked: true };
    const masked = maskText(rest);
    const text = masked.slice(0, masked.length - keep);
    rest = masked.slice(masked.length - keep);
    return { text, blocked: false };
  };
  return {
    push(text) {
      rest += text;
      const masked = maskText(rest);
      return emit(Math.max(overlap(masked, SECRET), overlap(masked, FORBIDDEN)));
    },
    end: () => emit(0),
  };
}

/** Length of the longest end of `text` that starts `word`. */
function overlap(text: string, word: string): number {
  let length = Math.min(text.length, word.length - 1);
  while (!text.endsWith(word.slice(0, length))) length--;
  return length;
}

function evaluate(text: string): EvaluatedText {
  const masked = maskText(text);
  return { masked: masked === text ? null : masked, blocked: text.includes(FORBIDDEN) };
}

async function mask(
  createDialect: () => Dialect,
  chunks: readonly (string | Uint8Array)[],
  { needs_whole = false }: { needs_whole?: boolean } = {},
) {
  const recorded: string[] = [];
  const parts: string[] = [];
  const splitter = createEventSplitter(() => {});
  const stream = createStreamMask(
    createDialect(),
    {
      needs_whole,
      openText,
      evaluatePart: async (text) => {
        parts.push(text);
        return evaluate(text);
      },
      evaluateResponse: async (text) => {
        recorded.push(text);
        return evaluate(text);
      },
    },
    () => {},
  );
  const sent: string[] = [];
  for (const chunk of chunks) {
    for (const event of splitter.push(Buffer.from(chunk))) await stream.add(event);
    sent.push(stream.take());
  }
  const last = splitter.end();
  if (last) await stream.add(last);
  await stream.end();
  sent.push(stream.take());
  return { text: sent.join(""), sent, recorded, parts, isBlocked: stream.isBlocked() };
}

/** Parsed data is compared, never used as a type. */
// biome-ignore lint/suspicious/noExplicitAny: parsed events of any dialect
const eventsOf = (text: string): any[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));

const chatText = (text: string, index = 0, member = "content"): string =>
  eventsOf(text)
    .flatMap(({ choices }) => choices)
    .filter((choice) => choice.index === index)
    .map(({ delta }) => delta[member] ?? "")
    .join("");

const chunk = (delta: object, more: object = {}, index = 0) =>
  `data: ${JSON.stringify({ id: "c1", model: "m", choices: [{ index, delta, finish_reason: null, ...more }] })}\n\n`;
const finish = (index = 0, finish_reason = "stop") => chunk({}, { finish_reason }, index);
const DONE = "data: [DONE]\n\n";

const OPTIONS = { now: () => new Date(0), newId: () => "1" };
const ask = (body: object) =>
  new Request("http://demo", { method: "POST", body: JSON.stringify({ stream: true, ...body }) });

/** Streams of the demo upstream, whose text contains the prompt. */
async function demoStreams(prompt: string) {
  const messages = [{ role: "user", content: prompt }];
  const replies = {
    chat: await handleChat(
      OPTIONS,
      ask({ messages, max_tokens: 12, stream_options: { include_usage: true } }),
    ),
    responses: await handleResponses(OPTIONS, ask({ input: prompt, max_output_tokens: 12 })),
    messages: await handleMessages(OPTIONS, ask({ messages, max_tokens: 12 })),
  };
  return {
    chat: await replies.chat.text(),
    responses: await replies.responses.text(),
    messages: await replies.messages.text(),
  };
}

const DIALECTS = {
  chat: createChatDialect,
  responses: createResponsesDialect,
  messages: createMessagesDialect,
};
type Name = keyof typeof DIALECTS;
const NAMES: Name[] = ["chat", "responses", "messages"];

const dataOf = (text: string) => text.match(/^data: .*$/gm);

test.each(NAMES)("a %s stream without findings is sent as it was received", async (name) => {
  const { [name]: stream } = await demoStreams("hello");

  for (const needs_whole of [false, true]) {
    const { text, recorded } = await mask(DIALECTS[name], [stream], { needs_whole });
    if (!needs_whole) expect(dataOf(text)).toEqual(dataOf(stream));
    expect(recorded.length).toBe(1);
  }
});

test.each(NAMES)(
  "a %s stream has the same result for every split into two chunks",
  async (name) => {
    const { [name]: stream } = await demoStreams(`pay ${SECRET} \u{1f600} now`);
    const bytes = Buffer.from(stream);
    const { text: expected } = await mask(DIALECTS[name], [stream]);

    expect(stream).toContain("4111");
    expect(expected).toContain(MASK);
    expect(expected).not.toContain(SECRET);
    for (let at = 1; at < bytes.length; at++) {
      const { text } = await mask(DIALECTS[name], [bytes.subarray(0, at), bytes.subarray(at)]);
      if (text !== expected) expect({ at, text }).toEqual({ at, text: expected });
    }
  },
);

test("a secret is masked wherever the deltas split it", async () => {
  const text = `a ${SECRET}, b`;
  for (let one = 0; one <= text.length; one++) {
    for (let two = one; two <= text.length; two++) {
      const pieces = [text.slice(0, one), text.slice(one, two), text.slice(two)];
      const stream = [...pieces.map((content) => chunk({ content })), finish(), DONE];

      const { text: sent } = await mask(createChatDialect, stream);

      expect(chatText(sent)).toBe(maskText(text));
      expect(sent).not.toContain("1111");
      expect(sent).toEndWith(finish() + DONE);
    }
  }
});

test("interleaved choices and reasoning are masked separately", async () => {
  const stream = [
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "x 4111" }, {}, 0),
    chunk({ content: "y 41" }, {}, 1),
    chunk({ reasoning_content: "think 4111 " }, {}, 1),
    chunk({ content: " 1111 z" }, {}, 0),
    chunk({ content: "11 1111" }, {}, 1),
    finish(0),
    chunk({ reasoning_content: "1111" }, {}, 1),
    finish(1, "length"),
    DONE,
  ];

  const { text, recorded } = await mask(createChatDialect, stream);

  expect(chatText(text, 0)).toBe("x [card] z");
  expect(chatText(text, 1)).toBe("y [card]");
  expect(chatText(text, 1, "reasoning_content")).toBe("think [card]");
  expect(text.endsWith(finish(0) + finish(1, "length") + DONE)).toBe(true);
  expect(recorded.map((each) => JSON.parse(each))).toEqual([
    {
      id: "c1",
      model: "m",
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: `x ${SECRET} z` },
          finish_reason: "stop",
        },
        {
          index: 1,
          message: {
            role: "assistant",
            content: `y ${SECRET}`,
            reasoning_content: `think ${SECRET}`,
          },
          finish_reason: "length",
        },
      ],
    },
  ]);
});

const call = (more: object, index = 0) => chunk({ tool_calls: [{ index, ...more }] });
const CALLS = [
  chunk({ content: "I pay." }),
  call({ id: "call_1", type: "function", function: { name: "pay", arguments: "" } }),
  ...['{"card":"4111', ' 1111"', "}"].map((text) => call({ function: { arguments: text } })),
  call({ id: "call_2", type: "function", function: { name: "look", arguments: "{}" } }, 1),
  finish(0, "tool_calls"),
  DONE,
];

test("a tool call is sent when it is complete, with its arguments in one delta", async () => {
  const { text, sent, parts } = await mask(createChatDialect, CALLS);

  expect(sent.slice(1, -2).join("")).toBe("");
  expect(parts.length).toBe(1);
  expect(eventsOf(text).map(({ choices: [{ delta }] }) => delta)).toEqual([
    { content: "I pay." },
    {
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "pay", arguments: "" } },
      ],
    },
    { tool_calls: [{ index: 0, function: { arguments: `{"card":"${MASK}"}` } }] },
    {
      tool_calls: [
        { index: 1, id: "call_2", type: "function", function: { name: "look", arguments: "{}" } },
      ],
    },
    {},
  ]);
});

test("no part of a blocked tool call is sent", async () => {
  const stream = CALLS.map((text) => text.replace(" 1111", FORBIDDEN));

  const { text, isBlocked } = await mask(createChatDialect, stream);

  expect(isBlocked).toBe(true);
  expect(eventsOf(text).map(({ choices }) => choices[0])).toEqual([
    { index: 0, delta: { content: "I pay." }, finish_reason: null },
    { index: 0, delta: {}, logprobs: null, finish_reason: "content_filter" },
  ]);
  expect(text).toEndWith(DONE);
});

test("a blocked chat stream ends every choice, and nothing after the block is sent", async () => {
  const stream = [
    chunk({ content: "one" }),
    chunk({ content: "two" }, {}, 1),
    chunk({ content: ` ${FORBIDDEN.slice(0, 3)}` }),
    chunk({ content: `${FORBIDDEN.slice(3)} more` }),
    chunk({ content: "three" }, {}, 1),
    finish(0),
    DONE,
  ];

  const { text, isBlocked, recorded } = await mask(createChatDialect, stream);

  expect(isBlocked).toBe(true);
  expect(recorded.length).toBe(1);
  expect(chatText(text)).toBe("one ");
  expect(chatText(text, 1)).toBe("two");
  const ending = eventsOf(text).slice(-2);
  expect(ending).toMatchObject(
    [0, 1].map((index) => ({ id: "c1", choices: [{ index, finish_reason: "content_filter" }] })),
  );
  expect(text).toEndWith(DONE);
});

test("a response that only its complete evaluation blocks ends as blocked, with its usage", async () => {
  const usage = 'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":3}}\n\n';
  // Two choices that are harmless on their own are joined by the test's detector only in the complete text.
  const stream = [chunk({ content: "fine" }), finish(0), usage, DONE];
  const splitter = createEventSplitter(() => {});
  const masked = createStreamMask(
    createChatDialect(),
    {
      needs_whole: false,
      openText,
      evaluatePart: async () => ({ masked: null, blocked: false }),
      evaluateResponse: async () => ({ masked: null, blocked: true }),
    },
    () => {},
  );

  for (const event of splitter.push(Buffer.from(stream.join("")))) await masked.add(event);

  const text = masked.take();
  expect(eventsOf(text).map(({ choices: [choice] }) => choice?.finish_reason)).toEqual([
    null,
    "content_filter",
    undefined,
  ]);
  expect(text).toEndWith(usage + DONE);
});

test("a rule that needs the whole response sends each text in its first delta", async () => {
  const stream = [
    chunk({ role: "assistant", content: "" }),
    ...["a 41", "11 1111", " b"].map((content) => chunk({ content })),
    chunk({ refusal: "no" }),
    finish(),
    DONE,
  ];

  const { text, sent, recorded } = await mask(createChatDialect, stream, { needs_whole: true });

  expect(sent.slice(0, -2).join("")).toBe("");
  expect(recorded.length).toBe(1);
  expect(eventsOf(text).map(({ choices: [{ delta }] }) => delta)).toEqual([
    { role: "assistant", content: "" },
    { content: "a [card] b" },
    { refusal: "no" },
    {},
  ]);
});

test("token lists are dropped with the text they reveal", async () => {
  const logprobs = (token: string) => ({ logprobs: { content: [{ token, logprob: -1 }] } });
  const stream = [
    chunk({ content: "a " }, logprobs("a ")),
    chunk({ content: SECRET }, logprobs(SECRET)),
    finish(),
    DONE,
  ];

  const { text } = await mask(createChatDialect, stream);

  expect(eventsOf(text).map(({ choices: [choice] }) => choice.logprobs)).toMatchObject([
    { content: [{ token: "a " }] },
    null,
    undefined,
  ]);
});

test("halves of a surrogate pair in two events stay one character", async () => {
  const stream = [
    'data: {"choices":[{"index":0,"delta":{"content":"a \\ud83d"}}]}\n\n',
    `data: {"choices":[{"index":0,"delta":{"content":"\\ude00 ${SECRET}"}}]}\n\n`,
    finish(),
    DONE,
  ];

  const { text, recorded } = await mask(createChatDialect, stream);

  expect(chatText(text)).toBe(`a \u{1f600} ${MASK}`);
  expect(recorded[0]).toContain("a \u{1f600}");
});

test("comments, ids and unknown fields are kept, unless they contain a finding", async () => {
  const stream = [
    ": PROCESSING\r\n\r\n",
    `retry: 10\r\nid: 7\r\nfoo: bar baz\r\n${chunk({ content: "a" }).replaceAll("\n", "\r\n")}`,
    `: see ${SECRET}\n\n`,
    `foo: ${SECRET}\n${chunk({ content: "b" })}`,
    finish(),
    DONE,
  ];

  const { text } = await mask(createChatDialect, stream);

  expect(text).toBe([stream[0], stream[1], chunk({ content: "b" }), finish(), DONE].join(""));
});

test("members that are not texts of the response are masked event by event", async () => {
  const stream = [
    chunk({ annotations: [{ url_citation: { title: `about ${SECRET}`, url: "https://a" } }] }),
    `data: {"choices":[],"citations":["${SECRET}"]}\n\n`,
    chunk({ content: "text" }, { note: `the ${SECRET}` }),
    finish(),
    DONE,
  ];

  const { text } = await mask(createChatDialect, stream);

  expect(text).toBe(maskText(stream.join("")));
});

test("a stream that ends early sends its complete text, and no incomplete call", async () => {
  const { text, recorded } = await mask(createChatDialect, [
    chunk({ content: "a 4111" }),
    CALLS[1] ?? "",
  ]);

  expect(chatText(text)).toBe("a 4111");
  expect(text).not.toContain("call_1");
  expect(recorded.length).toBe(1);
});

test("held text is sent before an error of the upstream", async () => {
  const error = 'data: {"error":{"message":"overloaded"}}\n\n';

  const { text, recorded } = await mask(createChatDialect, [chunk({ content: "a 4111" }), error]);

  expect(chatText(text.replace(error, ""))).toBe("a 4111");
  expect(text).toEndWith(error);
  expect(recorded.length).toBe(1);
});
