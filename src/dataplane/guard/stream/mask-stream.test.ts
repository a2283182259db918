import { expect, test } from "bun:test";
import { expectLinear } from "../../../../test/kit/expect-linear.ts";
import {
  createUncappedMemory,
  demoStreams,
  eventsOf,
  FORBIDDEN,
  FORMATS,
  MASK,
  mask,
  maskText,
  NAMES,
  openLongText,
  openText,
  SECRET,
} from "../../../../test/kit/mask-words.ts";
import { createEventSplitter } from "../../../lib/http/split-events.ts";
import { createAssembly } from "./assemble-response.ts";
import { createChatFormat } from "./chat-format.ts";
import { createStreamMask } from "./mask-stream.ts";

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

const dataOf = (text: string) => text.match(/^data: .*$/gm);

test.each(NAMES)("a %s stream without findings is sent as it was received", async (name) => {
  const { [name]: stream } = await demoStreams("hello");

  for (const needs_whole of [false, true]) {
    const { text, recorded } = await mask(FORMATS[name], [stream], { needs_whole });
    if (!needs_whole) expect(dataOf(text)).toEqual(dataOf(stream));
    expect(recorded.length).toBe(1);
  }
});

test.each(NAMES)("a %s stream has the same result however its bytes are split", async (name) => {
  const { [name]: stream } = await demoStreams(`pay ${SECRET} \u{1f600} now`);
  const bytes = Buffer.from(stream);
  const { text: expected } = await mask(FORMATS[name], [stream]);

  expect(expected).toContain(MASK);
  expect(expected).not.toContain("1111");
  for (const size of [1, 2, 3, 7]) {
    const count = Math.ceil(bytes.length / size);
    const chunks = Array.from({ length: count }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    expect((await mask(FORMATS[name], chunks)).text).toBe(expected);
  }
});

test.each(["\n", "\r\n", "\r"])("lines that end with %j are split at any byte", async (end) => {
  const { messages } = await demoStreams("\u{1f600}");
  const bytes = Buffer.from(messages.replaceAll("\n", end));
  const split = (...chunks: Uint8Array[]) => {
    const splitter = createEventSplitter();
    return chunks.flatMap((chunk) => splitter.push(chunk)).map(({ lines }) => lines.join("\n"));
  };
  const expected = messages.split("\n\n").slice(0, -1);

  for (let at = 0; at <= bytes.length; at++) {
    expect(split(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected);
  }
});

test.each(NAMES)("a long text of a %s stream is evaluated as a whole at its end", async (name) => {
  const { [name]: stream } = await demoStreams(`pay ${SECRET} now`);
  const { [name]: forbidden } = await demoStreams(`pay ${FORBIDDEN} now`);
  const open = openLongText;
  const assemble = ({ text }: { text: string }) => {
    const assembly = createAssembly(FORMATS[name](), createUncappedMemory());
    for (const data of dataOf(text) ?? []) if (data.endsWith("}")) assembly.add(data.slice(6));
    return assembly.toText();
  };

  const long = await mask(FORMATS[name], [stream], { open });
  const blocked = await mask(FORMATS[name], [forbidden], { open });

  expect(long.text).not.toContain("1111");
  expect(assemble(long)).toBe(assemble(await mask(FORMATS[name], [stream])));
  expect(long.recorded.length).toBe(1);
  expect(blocked).toMatchObject({ isBlocked: true, text: expect.not.stringContaining("never") });
});

test("a long text that cannot be evaluated is released once, as it was received", async () => {
  const splitter = createEventSplitter();
  const fail = () => Promise.reject(new Error("The worker has failed."));
  const masked = createStreamMask(
    createChatFormat(),
    { openText: openLongText, evaluatePart: fail, evaluateResponse: fail },
    createUncappedMemory(),
  );
  const [first = [], last = []] = [[chunk({ content: SECRET })], [finish(), DONE]].map((stream) =>
    splitter.push(Buffer.from(stream.join(""))),
  );
  for (const event of first) await masked.add(event);
  expect(masked.take()).toBe("");

  for (const event of last) await masked.add(event).catch(masked.release);

  expect(chatText(masked.take())).toBe(SECRET);
});

test("a secret is masked wherever the deltas split it", async () => {
  const text = `a ${SECRET}, b`;
  for (let one = 0; one <= text.length; one++) {
    for (let two = one; two <= text.length; two++) {
      const pieces = [text.slice(0, one), text.slice(one, two), text.slice(two)];
      const stream = [...pieces.map((content) => chunk({ content })), finish(), DONE];

      const { text: sent } = await mask(createChatFormat, stream);

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

  const { text, recorded } = await mask(createChatFormat, stream);

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
  const { text, sent, parts } = await mask(createChatFormat, CALLS);

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

test("arguments of tool calls that interleave are masked, for parts of every size", async () => {
  const args = [`{"card":"${SECRET}"}`, `{"note":"a ${SECRET} b"}`];
  for (let size = 1; size < 12; size++) {
    const deltas = args.map((text) => text.match(new RegExp(`.{1,${size}}`, "g")) ?? []);
    const interleaved = Array.from({ length: 32 }, (_, at) =>
      deltas.flatMap((parts, index) =>
        parts[at] === undefined ? [] : call({ function: { arguments: parts[at] } }, index),
      ),
    ).flat();
    const starts = [0, 1].map((index) =>
      call({ id: `call_${index}`, function: { name: "pay", arguments: "" } }, index),
    );

    const { text } = await mask(createChatFormat, [
      ...starts,
      ...interleaved,
      finish(0, "tool_calls"),
      DONE,
    ]);

    const sent: string[] = ["", ""];
    for (const { choices } of eventsOf(text)) {
      for (const { index, function: called } of choices[0].delta.tool_calls ?? []) {
        sent[index] += called.arguments;
      }
    }
    expect(sent).toEqual(args.map(maskText));
  }
});

const start = (id: string, index: number | undefined, text: string) =>
  chunk({ tool_calls: [{ index, id, function: { name: "pay", arguments: text } }] });
const next = (index: number | undefined, text: string) =>
  chunk({ tool_calls: [{ index, function: { arguments: text } }] });
const other = (id: string, text: string) =>
  chunk({ tool_calls: [{ index: 0, id, function: { arguments: text } }] });
test.each([
  ["the same index", 0],
  ["no index", undefined],
])("tool calls with %s keep their own arguments", async (_, index) => {
  const stream = [
    ...[start("a", index, ""), next(index, `{"card":"4111`), next(index, ` 1111"}`)],
    ...[start("b", index, `{"card":`), next(index, `"}"}`)],
    start("c", index, `{"card":"${SECRET}"}`),
    ...[finish(0, "tool_calls"), DONE],
  ];

  const { text } = await mask(createChatFormat, stream);

  const sent: Record<string, string> = {};
  let id = "";
  for (const { choices } of eventsOf(text)) {
    const [called] = choices[0].delta.tool_calls ?? [];
    if (!called) continue;
    expect(called.index).toBe(index);
    id = called.id ?? id;
    sent[id] = (sent[id] ?? "") + called.function.arguments;
  }
  expect(sent).toEqual({ a: `{"card":"${MASK}"}`, b: `{"card":"}"}`, c: `{"card":"${MASK}"}` });
});

test.each<[string, string[]]>([
  ["is not complete", [start("a", 0, `{"card":"`), start("b", 0, `{"card":"1"}`)]],
  [
    "has continued with that id",
    [start("a", 0, "{}"), other("b", `{"card":"1"}`), start("b", 0, "")],
  ],
])("a stream with a new tool call at the index of one that %s is rejected", async (_, calls) => {
  const stream = [...calls, finish(0, "tool_calls"), DONE];

  expect(mask(createChatFormat, stream)).rejects.toThrow("do not fit together");
});

test("a tool call whose parts have different ids is one call", async () => {
  const stream = [start("a", 0, `{"card":"4111`), other("b", ` 1111"}`), finish(0, "tool_calls")];

  const { text } = await mask(createChatFormat, [...stream, DONE]);

  expect(text).toContain(MASK);
  expect(text).not.toContain("1111");
});

const PAY = { index: 0, function: { name: "pay", arguments: "{}" } };
test.each<[string, number, string[]]>([
  [
    "whose first delta has only an id is one call",
    1,
    [chunk({ tool_calls: [{ index: 0, id: "a" }] }), start("a", 0, "{}")],
  ],
  [
    "whose empty first delta has another id is one call",
    1,
    [start("a", 0, ""), start("b", 0, "{}")],
  ],
  [
    "whose id and name are repeated at its end is one call",
    1,
    [start("a", 0, "{}"), start("a", 0, "")],
  ],
  [
    "without an id is another one than a complete call of its index",
    2,
    [chunk({ tool_calls: [PAY] }), chunk({ tool_calls: [PAY] })],
  ],
])("a tool call %s", async (_, count, calls) => {
  const { recorded } = await mask(createChatFormat, [...calls, finish(0, "tool_calls"), DONE]);

  const { choices } = JSON.parse(recorded[0] ?? "");
  expect(choices[0].message.tool_calls).toHaveLength(count);
});

test("a function call is evaluated only when it is complete", async () => {
  const called = (call: object) => chunk({ function_call: call });
  const stream = [
    ...[called({ name: "pay", arguments: `{"a":` }), called({ arguments: "1}" })],
    ...[finish(0, "function_call"), DONE],
  ];

  const { parts } = await mask(createChatFormat, stream);

  expect(parts).toEqual([expect.stringContaining(String.raw`"{\"a\":1}"`)]);
});

test("numbers in deltas count as the structure of the response", () => {
  const assembly = createAssembly(createChatFormat(), createUncappedMemory());
  const add = (from: number) => {
    const names = Array.from({ length: 12_000 }, (_, at) => [`${from + at}`.padStart(60, "m"), 1]);
    const delta = Object.fromEntries(names);
    assembly.add(JSON.stringify({ choices: [{ index: 0, delta }] }));
  };

  add(0);

  expect(() => add(12_000)).toThrow("more than 20000 members");
});

test("no part of a blocked tool call is sent", async () => {
  const stream = CALLS.map((text) => text.replace(" 1111", FORBIDDEN));

  const { text, isBlocked } = await mask(createChatFormat, stream);

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

  const { text, isBlocked, recorded } = await mask(createChatFormat, stream);

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
  const splitter = createEventSplitter();
  const masked = createStreamMask(
    createChatFormat(),
    {
      openText,
      evaluatePart: async () => ({ masked: null, blocked: false }),
      evaluateResponse: async () => ({ masked: null, blocked: true }),
    },
    createUncappedMemory(),
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

  const { text, sent, recorded } = await mask(createChatFormat, stream, { needs_whole: true });

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

  const { text } = await mask(createChatFormat, stream);

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

  const { text, recorded } = await mask(createChatFormat, stream);

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
    `foo: ${SECRET}\n${DONE}`,
  ];

  const { text } = await mask(createChatFormat, stream);

  expect(text).toBe([stream[0], stream[1], chunk({ content: "b" }), finish(), DONE].join(""));
});

test("an event with many comments is checked in linear time", async () => {
  const run = (lines: string) => mask(createChatFormat, [`: ${SECRET}\n${lines}\n`]);

  await expectLinear(run, (length) =>
    Array.from({ length: length / 10 }, (_, line) => `: line ${line}\n`).join(""),
  );
}, 30_000);

test("members that are not texts of the response are masked event by event", async () => {
  const stream = [
    chunk({ annotations: [{ url_citation: { title: `about ${SECRET}`, url: "https://a" } }] }),
    `data: {"choices":[],"citations":["${SECRET}"]}\n\n`,
    chunk({ content: "text" }, { note: `the ${SECRET}` }),
    finish(),
    DONE,
  ];

  const { text } = await mask(createChatFormat, stream);

  expect(text).toBe(maskText(stream.join("")));
});

test("a stream that ends early sends its complete text, and no incomplete call", async () => {
  const { text, recorded } = await mask(createChatFormat, [
    chunk({ content: "a 4111" }),
    CALLS[1] ?? "",
  ]);

  expect(chatText(text)).toBe("a 4111");
  expect(text).not.toContain("call_1");
  expect(recorded.length).toBe(1);
});

test("held text is sent before an error of the upstream", async () => {
  const error = 'data: {"error":{"message":"overloaded"}}\n\n';

  const { text, recorded } = await mask(createChatFormat, [chunk({ content: "a 4111" }), error]);

  expect(chatText(text.replace(error, ""))).toBe("a 4111");
  expect(text).toEndWith(error);
  expect(recorded.length).toBe(1);
});

test("a repeated message contains only what was sent", async () => {
  const pieces = ["a 41", "11 1111", " b"];
  const stream = pieces.map((content, at) =>
    chunk({ content }, { message: { content: pieces.slice(0, at + 1).join("") } }),
  );

  const { text } = await mask(createChatFormat, [...stream, finish(), DONE]);

  expect(eventsOf(text).map(({ choices: [{ message }] }) => message?.content)).toEqual([
    "a ",
    "a [card]",
    "a [card] b",
    undefined,
  ]);
});

test("text with a finish reason in every chunk keeps its order", async () => {
  const pieces = ["a 41", "11 1111", " b 41"];
  const stream = pieces.map((content) => chunk({ content }, { finish_reason: "stop" }));

  const { text } = await mask(createChatFormat, [...stream, DONE]);

  expect(chatText(text)).toBe("a [card] b 41");
});

test.each([
  ["a slot for every event", (at: number) => chunk({ [`member${at}`]: "x" })],
  ["a choice far away", () => chunk({ content: "x" }, {}, 100_000)],
])("a stream with %s is unreadable", async (_, build) => {
  const stream = Array.from({ length: 5000 }, (__, at) => build(at));

  expect(mask(createChatFormat, stream)).rejects.toThrow("cannot be evaluated");
});

test("an event cannot change the prototype of objects", async () => {
  const delta = '{"\\u005f_proto__":{"polluted":{"text":"x"}}}';
  const stream = `data: {"choices":[{"index":0,"delta":${delta}}]}\n\n`;

  expect(mask(createChatFormat, [stream])).rejects.toThrow("__proto__");
  expect("polluted" in {}).toBe(false);
});
