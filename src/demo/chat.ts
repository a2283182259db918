/** `POST /v1/chat/completions`: the demo model in the OpenAI chat format, whole or streamed. */
import { z } from "zod";
import { composeReply, type DemoReply, type Prompt } from "./compose-reply.ts";
import { DemoContent, type DemoTurn, toTurn } from "./turns.ts";
import {
  type DemoOptions,
  formatEvent,
  paceWords,
  readJson,
  streamEvents,
  unixSeconds,
} from "./wire.ts";

const Role = z.enum(["system", "developer", "user", "assistant", "tool", "function"]);
const ChatRequest = z.object({
  model: z.string().default("demo-chat"),
  messages: z.array(z.object({ role: Role, content: DemoContent })).min(1),
  tools: z
    .array(
      z.object({
        function: z.object({ name: z.string(), parameters: z.unknown().optional() }).optional(),
      }),
    )
    .max(128)
    .nullish(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.object({ function: z.object({ name: z.string() }) }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .object({
      type: z.enum(["text", "json_object", "json_schema"]),
      json_schema: z.object({ schema: z.unknown().optional() }).optional(),
    })
    .nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});
type ChatRequest = z.infer<typeof ChatRequest>;

export async function handleChat(options: DemoOptions, request: Request): Promise<Response> {
  const body = await readJson(request, ChatRequest);
  if (body instanceof Response) return body;
  const reply = composeReply(toPrompt(body));
  const calls = reply.calls.map((call) => ({
    id: `call_${options.newId()}`,
    type: "function" as const,
    function: call,
  }));
  const frame = {
    id: `chatcmpl-${options.newId()}`,
    created: unixSeconds(options.now()),
    model: body.model,
    service_tier: "default",
    system_fingerprint: "fp_demo",
  };
  const completion = { frame, reply, calls, count: body.n ?? 1 };
  if (body.stream)
    return streamEvents(streamChunks(completion, body.stream_options?.include_usage === true));
  return Response.json(toCompletion(completion));
}

interface Completion {
  frame: Record<string, string | number>;
  reply: DemoReply;
  calls: { id: string; type: "function"; function: DemoReply["calls"][number] }[];
  count: number;
}

function toPrompt(body: ChatRequest): Prompt {
  const { response_format: format, tool_choice: choice } = body;
  return {
    turns: body.messages.map(({ role, content }) => toTurn(ROLES[role], content)),
    tools: (body.tools ?? []).flatMap((tool) => tool.function ?? []),
    toolChoice: typeof choice === "object" && choice ? choice.function : (choice ?? "auto"),
    oneCallOnly: body.parallel_tool_calls === false,
    json: !format || format.type === "text" ? undefined : { schema: format.json_schema?.schema },
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stop: [body.stop ?? []].flat(),
  };
}

const ROLES: Record<z.infer<typeof Role>, DemoTurn["role"]> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

function toCompletion({ frame, reply, calls, count }: Completion) {
  const message = {
    role: "assistant",
    content: calls.length > 0 ? null : reply.text,
    refusal: null,
    annotations: [],
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choices = range(count).map((index) => ({
    index,
    message,
    logprobs: null,
    finish_reason: reply.ended,
  }));
  return { ...frame, object: "chat.completion", choices, usage: toUsage(reply, count) };
}

async function* streamChunks({ frame, reply, calls, count }: Completion, withUsage: boolean) {
  const chunk = (choices: unknown[], usage: unknown = null) =>
    formatEvent({
      ...frame,
      object: "chat.completion.chunk",
      choices,
      ...(withUsage && { usage }),
    });
  const toAll = (delta: object, finish_reason: string | null = null) =>
    range(count)
      .map((index) => chunk([{ index, delta, logprobs: null, finish_reason }]))
      .join("");

  yield toAll({ role: "assistant", content: calls.length > 0 ? null : "", refusal: null });
  for await (const content of paceWords(reply.text)) yield toAll({ content });
  for (const [index, call] of calls.entries()) {
    yield toAll({
      tool_calls: [{ index, ...call, function: { ...call.function, arguments: "" } }],
    });
    for await (const piece of paceWords(call.function.arguments)) {
      yield toAll({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  yield toAll({}, reply.ended);
  if (withUsage) yield chunk([], toUsage(reply, count));
  yield "data: [DONE]\n\n";
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function toUsage({ inputTokens, outputTokens }: DemoReply, count: number) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens * count,
    total_tokens: inputTokens + outputTokens * count,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}
