import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import {
  demoStreams,
  eventsOf,
  FORBIDDEN,
  MASK,
  mask,
  maskText,
  SECRET,
} from "../../../../test/kit/mask-words.ts";
import { createMessagesFormat } from "./messages-format.ts";
import { createResponsesFormat } from "./responses-format.ts";

type Event = { type: string; [member: string]: unknown };

const named = (event: Event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** An official client that reads the given stream. */
const replay = (text: string) => async () =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });
const finalResponse = (text: string) =>
  new OpenAI({ apiKey: "k", fetch: replay(text) }).responses
    .stream({ model: "m", input: "x" })
    .finalResponse();
const finalMessage = (text: string) =>
  new Anthropic({ apiKey: "k", fetch: replay(text) }).messages
    .stream({ model: "m", max_tokens: 9, messages: [] })
    .finalMessage();

describe("responses", () => {
  const text = `a ${SECRET}, b`;
  const part = (value: string) => ({ type: "output_text", text: value, annotations: [] });
  const message = { id: "msg_1", type: "message", role: "assistant", status: "completed" };
  const reasoning = { id: "rs_1", type: "reasoning" };
  const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "pay" };
  const summary = (value: string) => ({ type: "summary_text", text: value });
  const args = `{"card":"${SECRET}","n":12345678901234567890}`;
  const base = { id: "resp_1", object: "response", created_at: 1, model: "m" };

  /** A reasoning summary, a message and a tool call, each in the given deltas. */
  function stream(
    deltas: (whole: string) => string[],
    { noted = "", said = text, thought = `think ${text}` } = {},
  ): string[] {
    const output = [
      { ...reasoning, summary: [summary(thought)] },
      { ...message, content: [part(said)] },
      { ...call, status: "completed", arguments: args },
    ];
    const added = { response: { ...base, status: "in_progress", output: [], usage: null } };
    const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };
    const where = { item_id: "rs_1", output_index: 0, summary_index: 0 };
    const at = { item_id: "msg_1", output_index: 1, content_index: 0 };
    const of = { item_id: "fc_1", output_index: 2 };
    const events: Event[] = [
      { type: "response.created", ...added },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...reasoning, summary: [] },
      },
      { type: "response.reasoning_summary_part.added", ...where, part: summary("") },
      ...deltas(thought).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        ...where,
        delta,
      })),
      { type: "response.reasoning_summary_text.done", ...where, text: thought },
      { type: "response.reasoning_summary_part.done", ...where, part: summary(thought) },
      { type: "response.output_item.done", output_index: 0, item: output[0] },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { ...message, status: "in_progress", content: [] },
      },
      { type: "response.content_part.added", ...at, part: part("") },
      ...deltas(said).map((delta) => ({
        type: "response.output_text.delta",
        ...at,
        delta,
        logprobs: [{ token: delta, logprob: -1, top_logprobs: [] }],
      })),
      { type: "response.output_text.done", ...at, text: said, logprobs: [] },
      { type: "response.content_part.done", ...at, part: part(said) },
      { type: "response.output_item.done", output_index: 1, item: output[1] },
      {
        type: "response.output_item.added",
        output_index: 2,
        item: { ...call, status: "in_progress", arguments: "" },
      },
      ...deltas(args).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...of,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...of, name: "pay", arguments: args },
      { type: "response.output_item.done", output_index: 2, item: output[2] },
      ...(noted ? [{ type: "response.note", note: noted }] : []),
      { type: "response.completed", response: { ...base, status: "completed", output, usage } },
    ];
    return events.map((event, sequence_number) => named({ ...event, sequence_number }));
  }

  const splitAt = (position: number) => (whole: string) =>
    [whole.slice(0, position), whole.slice(position)].filter((delta) => delta !== "");

  test.each([false, true])(
    "text, reasoning and arguments are masked in every event that repeats them (whole: %p)",
    async (needs_whole) => {
      for (let at = 0; at <= text.length; at++) {
        const received = stream(splitAt(at));

        const sent = await mask(createResponsesFormat, received, { needs_whole });

        expect(sent.text).not.toContain("1111");
        const events = eventsOf(sent.text);
        const join = (type: string) =>
          events
            .filter((event) => event.type === type)
            .map(({ delta }) => delta)
            .join("");
        expect(join("response.output_text.delta")).toBe(maskText(text));
        expect(join("response.reasoning_summary_text.delta")).toBe(maskText(`think ${text}`));
        expect(join("response.function_call_arguments.delta")).toBe(maskText(args));
        const numbers = events.map(({ sequence_number }) => sequence_number);
        expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
        const isDelta = (event: string) => event.includes(".delta");
        const others = sent.text.split(/(?<=\n\n)/).filter((event) => !isDelta(event));
        const plain = (list: string[]) =>
          list.map((event) => event.replace(/"sequence_number":\d+/, ""));
        expect(plain(others)).toEqual(
          plain(received.filter((event) => !isDelta(event)).map(maskText)),
        );
      }
    },
  );

  test("the official client assembles the masked response", async () => {
    const sent = await mask(createResponsesFormat, stream(splitAt(8)));

    const { output_text, output, status } = await finalResponse(sent.text);

    expect(status).toBe("completed");
    expect(output_text).toBe(maskText(text));
    expect(output[2]).toMatchObject({ name: "pay", arguments: maskText(args) });
  });

  test("a tool call is held until it is complete", async () => {
    const received = stream(splitAt(8));
    const start = received.findIndex((event) => event.includes('"function_call"'));
    const end = received.findIndex(
      (event) => event.includes('"item":{"id":"fc_1"') && event.includes("done"),
    );

    const { sent } = await mask(createResponsesFormat, received);

    expect(sent.slice(start, end).join("")).toBe("");
    expect(sent[end]).toContain("response.output_item.added");
  });

  test("unknown events are evaluated, and their texts masked", async () => {
    const received = stream(splitAt(3), { noted: `see ${SECRET}` });

    const { text: sent } = await mask(createResponsesFormat, received);

    expect(sent).toContain(`"note":"see ${MASK}"`);
    expect(sent).not.toContain("1111");
  });

  test("an unknown delta is masked like text", async () => {
    const deltas = ["x 4111", " 1111 y"].map((delta) =>
      named({ type: "response.new_text.delta", output_index: 0, delta }),
    );
    const last = named({ type: "response.completed", response: base });

    const { text: sent, recorded } = await mask(createResponsesFormat, [...deltas, last]);

    expect(sent).not.toContain("1111");
    expect(recorded[0]).toContain(`x ${SECRET} y`);
  });

  const at = { output_index: 0, content_index: 0 };
  const said = (type: string, value: object) => ({ type: `response.${type}`, ...at, ...value });
  test.each<[string, Event[]]>([
    [
      "a text",
      [
        said("output_text.delta", { delta: "Hi. " }),
        said("content_part.done", { part: part("Hi") }),
      ],
    ],
    [
      "a text without deltas",
      [said("output_text.done", { text: "Hi. " }), said("content_part.done", { part: part("Hi") })],
    ],
    [
      "a refusal",
      [
        said("refusal.delta", { delta: "No. " }),
        said("content_part.done", { part: { type: "refusal", refusal: "Never." } }),
      ],
    ],
    [
      "code",
      [
        said("code_interpreter_call_code.delta", { delta: "1 + 1" }),
        said("output_item.done", { item: { type: "code_interpreter_call", code: "2" } }),
      ],
    ],
  ])("the last event of %s may have another version of it", async (_, events) => {
    const received = [...events, { type: "response.completed", response: {} }].map(named).join("");

    const { text: sent } = await mask(createResponsesFormat, [received]);

    expect(sent).toBe(received);
  });

  test.each<[string, object]>([
    ["messages with the same id", { ...message, content: [] }],
    ["calls with empty ids", { ...call, id: "", arguments: "{}" }],
  ])("%s are sent", async (_, item) => {
    const added = (output_index: number) => ({
      type: "response.output_item.done",
      output_index,
      item,
    });
    const events = [added(0), added(1), { type: "response.completed", response: {} }];
    const received = events.map(named).join("");

    const { text: sent } = await mask(createResponsesFormat, [received]);

    expect(sent).toBe(received);
  });

  test("calls that the last event repeats are evaluated once", async () => {
    const item = { ...call, arguments: "{}" };
    const events = [
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { output: [item] } },
    ];

    const { parts } = await mask(createResponsesFormat, [events.map(named).join("")]);

    expect(parts).toHaveLength(1);
  });

  test("a blocked stream closes what is open, and ends as incomplete", async () => {
    const said = `Well, ${FORBIDDEN} more`;
    for (let at = 0; at <= said.length; at++) {
      const received = stream(splitAt(at), { said, thought: "fine" });

      const sent = await mask(createResponsesFormat, received);

      const response = await finalResponse(sent.text);
      expect(sent.isBlocked).toBe(true);
      expect(sent.text).not.toContain("never");
      expect(response).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason: "content_filter" },
      });
      expect("Well, ").toStartWith(response.output_text);
      const types = eventsOf(sent.text).map(({ type }) => type);
      expect(types.at(-1)).toBe("response.incomplete");
      expect(types.filter((type) => type === "response.output_item.done").length).toBe(
        types.filter((type) => type === "response.output_item.added").length,
      );
    }
  });

  test("a response that needs its whole text and is blocked has a start and an end", async () => {
    const { responses } = await demoStreams(FORBIDDEN);

    const sent = await mask(createResponsesFormat, [responses], { needs_whole: true });

    expect(await finalResponse(sent.text)).toMatchObject({ status: "incomplete", output: [] });
  });
});

describe("messages", () => {
  const start = named({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  });
  const begin = (index: number, content_block: object) =>
    named({ type: "content_block_start", index, content_block });
  const delta = (index: number, more: object) =>
    named({ type: "content_block_delta", index, delta: more });
  const text = (index: number, value: string) => delta(index, { type: "text_delta", text: value });
  const stop = (index: number) => named({ type: "content_block_stop", index });
  const end = (stop_reason: string) =>
    named({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 9 },
    }) + named({ type: "message_stop" });
  const args = `{"card":"${SECRET}","n":12345678901234567890}`;
  const stream = (...pieces: string[]) => [
    start,
    begin(0, { type: "thinking", thinking: "" }),
    ...pieces.map((thinking) => delta(0, { type: "thinking_delta", thinking })),
    delta(0, { type: "signature_delta", signature: "c2lnbmF0dXJl" }),
    stop(0),
    begin(1, { type: "text", text: "" }),
    named({ type: "ping" }),
    ...pieces.map((piece) => text(1, piece)),
    stop(1),
    begin(2, { type: "tool_use", id: "toolu_1", name: "pay", input: {} }),
    ...[args.slice(0, 13), args.slice(13)].map((partial_json) =>
      delta(2, { type: "input_json_delta", partial_json }),
    ),
    stop(2),
    end("tool_use"),
  ];

  test.each([false, true])(
    "blocks are masked, and the official client assembles them (whole: %p)",
    async (needs_whole) => {
      const whole = `a ${SECRET}, b`;
      for (let at = 0; at <= whole.length; at++) {
        const received = stream(whole.slice(0, at), whole.slice(at));

        const sent = await mask(createMessagesFormat, received, { needs_whole });

        expect(sent.text).not.toContain("1111");
        expect(await finalMessage(sent.text)).toMatchObject({
          content: [
            { type: "thinking", thinking: maskText(whole), signature: "c2lnbmF0dXJl" },
            { type: "text", text: maskText(whole) },
            { type: "tool_use", name: "pay", input: { card: MASK } },
          ],
          stop_reason: "tool_use",
          usage: { output_tokens: 9 },
        });
        expect(sent.text).toContain(JSON.stringify(maskText(args)));
      }
    },
  );

  test("pings pass while a tool call is held", async () => {
    const received = stream("a").flatMap((event) =>
      event.includes("partial_json") ? [event, named({ type: "ping" })] : [event],
    );

    const { sent, parts } = await mask(createMessagesFormat, received);

    const first = received.findIndex((event) => event.includes('"tool_use"'));
    expect(sent.slice(first, first + 3)).toEqual(["", "", named({ type: "ping" })]);
    expect(parts).toEqual([
      JSON.stringify({
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "pay", input: args }],
      }),
    ]);
  });

  test("a blocked stream closes the open block, and ends as a refusal", async () => {
    const received = stream("fine", ` ${FORBIDDEN}`);

    const sent = await mask(createMessagesFormat, received);

    expect(sent.isBlocked).toBe(true);
    expect(sent.text).not.toContain("never");
    expect(await finalMessage(sent.text)).toMatchObject({
      content: [{ type: "thinking", thinking: "fine " }],
      stop_reason: "refusal",
      usage: { input_tokens: 5 },
    });
  });

  test("a blocked tool call leaves the text before it", async () => {
    const received = stream("fine").map((event) => event.replace("4111", FORBIDDEN));

    const sent = await mask(createMessagesFormat, received);

    const { content, stop_reason } = await finalMessage(sent.text);
    expect(stop_reason).toBe("refusal");
    expect(content.map(({ type }) => type)).toEqual(["thinking", "text"]);
  });

  test("text in the start of a block, and citations, are evaluated", async () => {
    const citation = { type: "char_location", cited_text: `of ${SECRET}` };
    const received = [
      start,
      begin(0, { type: "text", text: "x 41" }),
      stop(0),
      begin(1, { type: "text", text: "" }),
      text(1, "y"),
      delta(1, { type: "citations_delta", citation }),
      stop(1),
      end("end_turn"),
    ];

    const sent = await mask(createMessagesFormat, received);

    const { content } = await finalMessage(sent.text);
    expect(content).toMatchObject([
      { text: "x 41" },
      { text: "y", citations: [{ cited_text: `of ${MASK}` }] },
    ]);
  });
});
