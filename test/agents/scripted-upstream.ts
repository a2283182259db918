/** A model that follows a script, in the wire format of every dialect: calls one tool after another, then completes. */

export const DIALECTS = ["chat", "responses", "messages", "gemini"] as const;
export type Dialect = (typeof DIALECTS)[number];

/** One tool call of the script. */
export interface ScriptedCall {
  /** Matches the name of the tool among those that the agent offers. */
  tool: RegExp;
  args: Record<string, unknown>;
  /** Must be part of the result that the agent sends back. */
  result: string;
}

/** A reply that an agent without tools acts on. */
export interface ScriptedReply {
  text: string;
  /** Must be part of the next request, and of no earlier one. */
  result: string;
}

type Json = Record<string, unknown>;
/** Next step of the model: a tool call, or the final text. */
type Step = { tool: string; args: Json; id: string } | { text: string };

export interface ScriptedUpstream extends AsyncDisposable {
  url: string;
  /** Path of every request, with the members of its body. */
  requests: { path: string; body: Json }[];
}

interface Script {
  calls: readonly ScriptedCall[];
  /** Instead of the calls. */
  replies?: readonly ScriptedReply[] | undefined;
  done: string;
}

/** The final text is `<done>`, or names the first result that is missing. */
export function startScriptedUpstream(
  dialect: Dialect,
  { calls, replies, done }: Script,
): ScriptedUpstream {
  const requests: ScriptedUpstream["requests"] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST") return Response.json({ data: [] });
      const body: Json = await request.json();
      requests.push({ path: pathname, body });
      if (/count_?tokens/i.test(pathname)) return Response.json(TOKENS[dialect] ?? {});
      const { read, stream, complete, end } = WIRE[dialect];
      const step = replies
        ? { text: nextReply(JSON.stringify(body), replies) ?? done }
        : nextStep(read(body), calls, done);
      const streams = body.stream === true || pathname.includes(":streamGenerateContent");
      return streams ? toEventStream(stream(step), end) : Response.json(complete(step));
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

interface ReadRequest {
  /** Names of the tools that the agent offers. */
  tools: string[];
  /** JSON of the tool results so far. */
  results: string[];
}

const nextReply = (sent: string, replies: readonly ScriptedReply[]): string | undefined =>
  replies.find(({ result }) => !sent.includes(result))?.text;

function nextStep(
  { tools, results }: ReadRequest,
  calls: readonly ScriptedCall[],
  done: string,
): Step {
  // Agents also request titles and summaries, without tools.
  if (tools.length === 0) return { text: "Title" };
  const lost = calls
    .slice(0, results.length)
    .find((call, at) => !results[at]?.includes(call.result));
  if (lost) return { text: `The result of ${lost.tool} is missing: ${results.join(" | ")}` };
  const call = calls[results.length];
  if (!call) return { text: done };
  const tool = tools.find((name) => call.tool.test(name));
  return tool
    ? { tool, args: call.args, id: `call_${results.length + 1}` }
    : { text: `No tool matches ${call.tool}: ${tools.join(", ")}` };
}

const toEventStream = (events: readonly Json[], end = ""): Response => {
  const lines = events.map((event) => {
    const name = typeof event.type === "string" ? `event: ${event.type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(lines.join("") + end, { headers: { "content-type": "text/event-stream" } });
};

/** Members of JSON that the agents are known to send. */
const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);
const names = (tools: Json[]): string[] =>
  tools.map(({ name, function: inner }) => String(name ?? (inner as Json | undefined)?.name));

const MODEL = "scripted";
const CREATED = 1_790_000_000;

interface Wire {
  read: (body: Json) => ReadRequest;
  stream: (step: Step) => Json[];
  complete: (step: Step) => Json;
  /** Text after the last event of a stream. */
  end?: string;
}

const chat: Wire = {
  end: "data: [DONE]\n\n",
  read: ({ tools, messages }) => ({
    tools: names(list(tools)),
    results: list(messages)
      .filter(({ role }) => role === "tool")
      .map(({ content }) => JSON.stringify(content)),
  }),
  stream: (step) => {
    const chunk = (delta: Json, finish_reason: string | null) => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: CREATED,
      model: MODEL,
      choices: [{ index: 0, delta, finish_reason }],
    });
    const message = chatMessage(step);
    const tool_calls = list(message.tool_calls).map((call, index) => ({ index, ...call }));
    return [
      chunk({ role: "assistant", content: "" }, null),
      chunk(tool_calls.length ? { tool_calls } : { content: message.content }, null),
      { ...chunk({}, tool_calls.length ? "tool_calls" : "stop"), usage: CHAT_USAGE },
    ];
  },
  complete: (step) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: CREATED,
    model: MODEL,
    choices: [
      {
        index: 0,
        message: chatMessage(step),
        finish_reason: "tool" in step ? "tool_calls" : "stop",
      },
    ],
    usage: CHAT_USAGE,
  }),
};

const CHAT_USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const chatMessage = (step: Step): Json =>
  "tool" in step
    ? {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: step.id,
            type: "function",
            function: { name: step.tool, arguments: JSON.stringify(step.args) },
          },
        ],
      }
    : { role: "assistant", content: step.text };

const messages: Wire = {
  read: ({ tools, messages: sent }) => ({
    tools: names(list(tools)),
    results: list(sent)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => JSON.stringify(content)),
  }),
  stream: (step) => {
    const { content, stop_reason, ...head } = messages.complete(step);
    const [block = {}] = list(content);
    const isCall = "tool" in step;
    return [
      { type: "message_start", message: { ...head, content: [], stop_reason: null } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { ...block, ...(isCall ? { input: {} } : { text: "" }) },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: isCall
          ? { type: "input_json_delta", partial_json: JSON.stringify(step.args) }
          : { type: "text_delta", text: step.text },
      },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: "message_stop" },
    ];
  },
  complete: (step) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: MODEL,
    content: [
      "tool" in step
        ? { type: "tool_use", id: `toolu_${step.id}`, name: step.tool, input: step.args }
        : { type: "text", text: step.text },
    ],
    stop_reason: "tool" in step ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
};

const responses: Wire = {
  read: ({ tools, input }) => ({
    // A tool search finds tools that are not in the list.
    tools: [...list(tools), ...list(input).flatMap((item) => list(item.tools))].flatMap(
      ({ type, name, tools: inner }) =>
        type === "namespace"
          ? names(list(inner)).map((each) => `${name}${NAMESPACE}${each}`)
          : String(name ?? type),
    ),
    results: list(input)
      .filter(({ type }) => /_output$/.test(String(type)))
      .map(({ output, tools: found }) => JSON.stringify(output ?? found)),
  }),
  stream: (step) => {
    const response = responses.complete(step);
    const [item = {}] = list(response.output);
    const started = { ...response, status: "in_progress", output: [] };
    const delta =
      "tool" in step
        ? (["delta", "arguments"] as const).map((member) => ({
            type: `response.function_call_arguments.${member === "delta" ? "delta" : "done"}`,
            item_id: item.id,
            output_index: 0,
            [member]: item.arguments,
          }))
        : [
            {
              type: "response.content_part.added",
              item_id: item.id,
              output_index: 0,
              content_index: 0,
              part: { type: "output_text", text: "", annotations: [] },
            },
            {
              type: "response.output_text.delta",
              item_id: item.id,
              output_index: 0,
              content_index: 0,
              delta: step.text,
            },
          ];
    return [
      { type: "response.created", response: started },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: {
          ...item,
          status: "in_progress",
          ...("tool" in step ? { arguments: "" } : { content: [] }),
        },
      },
      ...delta,
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ].map((event, sequence_number) => ({ ...event, sequence_number }));
  },
  complete: (step) => ({
    id: "resp_1",
    object: "response",
    created_at: CREATED,
    status: "completed",
    model: MODEL,
    output: [
      "tool" in step
        ? { id: `fc_${step.id}`, call_id: step.id, status: "completed", ...writeCall(step) }
        : {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: step.text, annotations: [] }],
          },
    ],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    },
  }),
};

/** Separates the namespace of a tool from its name, in this file only. */
const NAMESPACE = "::";

function writeCall({ tool, args }: { tool: string; args: Json }): Json {
  if (tool === "tool_search") {
    return { type: "tool_search_call", execution: "client", arguments: args };
  }
  const [namespace, name] = tool.split(NAMESPACE);
  const named = name === undefined ? { name: tool } : { name, namespace };
  return { type: "function_call", ...named, arguments: JSON.stringify(args) };
}

const gemini: Wire = {
  read: ({ tools, contents }) => ({
    tools: list(tools).flatMap(({ functionDeclarations }) => names(list(functionDeclarations))),
    results: list(contents)
      .flatMap(({ parts }) => list(parts))
      .flatMap(({ functionResponse }) =>
        functionResponse ? [JSON.stringify(functionResponse)] : [],
      ),
  }),
  stream: (step) => [gemini.complete(step)],
  complete: (step) => ({
    candidates: [
      {
        index: 0,
        content: {
          role: "model",
          parts: [
            "tool" in step
              ? { functionCall: { name: step.tool, args: step.args } }
              : { text: step.text },
          ],
        },
        finishReason: "STOP",
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: MODEL,
  }),
};

const WIRE: Record<Dialect, Wire> = { chat, responses, messages, gemini };

const TOKENS: Partial<Record<Dialect, Json>> = {
  messages: { input_tokens: 10 },
  gemini: { totalTokens: 10 },
};
