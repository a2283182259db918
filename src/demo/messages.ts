/** `POST /v1/messages` and its `count_tokens`: the demo model in the Anthropic format, whole or streamed. */
import { z } from "zod";
import { composeReply, type DemoReply, type Prompt } from "./compose-reply.ts";
import { DemoContent, toTurn } from "./turns.ts";
import { type DemoOptions, formatNamedEvent, paceWords, readJson, streamEvents } from "./wire.ts";

const JsonFormat = z
  .object({ type: z.literal("json_schema"), schema: z.unknown().optional() })
  .nullish();

const MessagesRequest = z.object({
  model: z.string().default("demo-chat"),
  max_tokens: z.int().min(1),
  system: DemoContent,
  messages: z
    .array(z.object({ role: z.enum(["user", "assistant", "system"]), content: DemoContent }))
    .min(1),
  tools: z
    .array(z.object({ name: z.string(), input_schema: z.unknown().optional() }))
    .max(128)
    .nullish(),
  tool_choice: z
    .object({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .nullish(),
  output_config: z.object({ format: JsonFormat }).nullish(),
  output_format: JsonFormat, // its name in the beta
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
});
type MessagesRequest = z.infer<typeof MessagesRequest>;

type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: unknown };

export async function handleMessages(options: DemoOptions, request: Request): Promise<Response> {
  const body = await readJson(request, MessagesRequest);
  if (body instanceof Response) return toAnthropicError(body);
  const reply = composeReply(toPrompt(body));
  const tools = reply.calls.map(
    (call): Block => ({
      type: "tool_use",
      id: `toolu_${options.newId()}`,
      name: call.name,
      input: JSON.parse(call.arguments),
    }),
  );
  const content: Block[] = tools.length > 0 ? tools : [{ type: "text", text: reply.text }];
  const message = {
    id: `msg_${options.newId()}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    ...toStopReason(reply),
    usage: {
      input_tokens: reply.inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: reply.outputTokens,
    },
  };
  return body.stream ? streamEvents(events(message)) : Response.json(message);
}

export async function countMessageTokens(request: Request): Promise<Response> {
  const body = await readJson(request, MessagesRequest.extend({ max_tokens: MAX_TOKENS }));
  if (body instanceof Response) return toAnthropicError(body);
  return Response.json({ input_tokens: composeReply(toPrompt(body)).inputTokens });
}

/** Token counts do not depend on the length of the reply. */
const MAX_TOKENS = z.int().min(1).default(1);

/** Converts an error from the OpenAI to the Anthropic format, whose SDK expects `type: "error"`. */
async function toAnthropicError(response: Response): Promise<Response> {
  const { error } = await response.json();
  const { type, message } = error;
  return Response.json({ type: "error", error: { type, message } }, { status: response.status });
}

function toPrompt(body: MessagesRequest): Prompt {
  const system = body.system ? [toTurn("system", body.system)] : [];
  return {
    turns: [...system, ...body.messages.map(({ role, content }) => toTurn(role, content))],
    tools: (body.tools ?? []).map(({ name, input_schema }) => ({ name, parameters: input_schema })),
    toolChoice: toToolChoice(body.tool_choice),
    oneCallOnly: body.tool_choice?.disable_parallel_tool_use === true,
    json: body.output_config?.format ?? body.output_format ?? undefined,
    maxTokens: body.max_tokens,
    stop: body.stop_sequences ?? [],
  };
}

function toToolChoice(choice: MessagesRequest["tool_choice"]): Prompt["toolChoice"] {
  if (choice?.type === "tool") return { name: choice.name ?? "" };
  if (choice?.type === "any") return "required";
  return choice?.type ?? "auto";
}

function toStopReason({ ended, stoppedBy }: DemoReply) {
  if (stoppedBy !== undefined) return { stop_reason: "stop_sequence", stop_sequence: stoppedBy };
  const stop_reason = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" }[ended];
  return { stop_reason, stop_sequence: null };
}

interface Message {
  content: Block[];
  stop_reason: string;
  stop_sequence: string | null;
  usage: { output_tokens: number };
}

async function* events(message: Message) {
  const { content, stop_reason, stop_sequence, usage } = message;
  yield formatNamedEvent({
    type: "message_start",
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  });
  for (const [index, block] of content.entries()) {
    const empty = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
    yield formatNamedEvent({ type: "content_block_start", index, content_block: empty });
    if (index === 0) yield formatNamedEvent({ type: "ping" });
    const text = block.type === "text" ? block.text : JSON.stringify(block.input);
    for await (const piece of paceWords(text)) {
      const delta =
        block.type === "text"
          ? { type: "text_delta", text: piece }
          : { type: "input_json_delta", partial_json: piece };
      yield formatNamedEvent({ type: "content_block_delta", index, delta });
    }
    yield formatNamedEvent({ type: "content_block_stop", index });
  }
  const { output_tokens } = usage;
  yield formatNamedEvent({
    type: "message_delta",
    delta: { stop_reason, stop_sequence },
    usage: { output_tokens },
  });
  yield formatNamedEvent({ type: "message_stop" });
}
