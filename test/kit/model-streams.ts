/** Streams of model APIs that a test upstream sends: deltas of text, and a call of a tool with a card. */

export type StreamedEvent = { type?: string; [member: string]: unknown };
const format = (event: StreamedEvent) =>
  `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;

/** Deltas of text, and a call of a tool with a card in its arguments. */
export interface Said {
  deltas: string[];
  calls: boolean;
}
const ARGUMENTS = ['{"card":"4111 1111', ' 1111 1111"}'];

function chat({ deltas, calls }: Said): StreamedEvent[] {
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

function anthropic({ deltas, calls }: Said): StreamedEvent[] {
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

function responses({ deltas, calls }: Said): StreamedEvent[] {
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
  const events: StreamedEvent[] = [
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

function gemini({ deltas, calls }: Said): StreamedEvent[] {
  const chunk = (parts: object[], more: object = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    modelVersion: "m",
    responseId: "r1",
  });
  const args = JSON.parse(ARGUMENTS.join(""));
  return [
    ...deltas.map((text) => chunk([{ text }])),
    ...(calls ? [chunk([{ functionCall: { name: "pay", args }, thoughtSignature: "c2ln" }])] : []),
    chunk([{ text: "" }], { finishReason: "STOP" }),
  ];
}

/** Bytes of a stream, by the API that it belongs to. */
export const MODEL_STREAMS = {
  chat: (said: Said) => [...chat(said).map(format), "data: [DONE]\n\n"].join(""),
  responses: (said: Said) => responses(said).map(format).join(""),
  messages: (said: Said) => anthropic(said).map(format).join(""),
  generate_content: (said: Said) => gemini(said).map(format).join(""),
};
