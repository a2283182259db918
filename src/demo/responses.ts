/** `POST /v1/responses`: the demo model in the OpenAI responses format, whole or streamed. */
import { z } from "zod";
import { composeReply, type DemoReply, type Prompt } from "./compose-reply.ts";
import { type OutputItem, responseEvents } from "./response-events.ts";
import { DemoContent, type DemoTurn, toTurn } from "./turns.ts";
import { type DemoOptions, readJson, streamEvents, unixSeconds } from "./wire.ts";

/** A message, a tool output, or an item of an earlier response. */
const InputItem = z.object({
  type: z.string().nullish(),
  role: z.enum(["user", "assistant", "system", "developer"]).nullish(),
  content: DemoContent,
  output: DemoContent.catch(undefined), // outputs of unsupported tools have other types
});
const ResponsesRequest = z.object({
  model: z.string().default("demo-chat"),
  input: z.union([z.string(), z.array(InputItem).min(1)]),
  instructions: z.string().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        parameters: z.unknown().optional(),
      }),
    )
    .max(128)
    .nullish(),
  tool_choice: z
    .union([z.enum(["none", "auto", "required"]), z.object({ type: z.string(), name: z.string() })])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .looseObject({
      format: z
        .looseObject({
          type: z.enum(["text", "json_object", "json_schema"]),
          schema: z.unknown().optional(),
        })
        .optional(),
    })
    .nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  previous_response_id: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stream: z.boolean().nullish(),
});
type ResponsesRequest = z.infer<typeof ResponsesRequest>;

export async function handleResponses(options: DemoOptions, request: Request): Promise<Response> {
  const body = await readJson(request, ResponsesRequest);
  if (body instanceof Response) return body;
  const reply = composeReply(toPrompt(body));
  const unfinished = reply.ended === "length";
  const finished = {
    ...createResponse(options, body),
    status: unfinished ? "incomplete" : "completed",
    incomplete_details: unfinished ? { reason: "max_output_tokens" } : null,
    output: toOutput(options, reply),
    usage: {
      input_tokens: reply.inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: reply.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: reply.inputTokens + reply.outputTokens,
    },
  };
  return body.stream ? streamEvents(responseEvents(finished)) : Response.json(finished);
}

function toPrompt(body: ResponsesRequest): Prompt {
  const { input, instructions, tool_choice: choice, text } = body;
  const format = text?.format;
  return {
    turns: [
      ...(instructions ? [toTurn("system", instructions)] : []),
      ...(typeof input === "string" ? [toTurn("user", input)] : input.map(turnOfItem)),
    ],
    tools: (body.tools ?? []).flatMap(({ type, name, parameters }) =>
      type === "function" && name !== undefined ? { name, parameters } : [],
    ),
    toolChoice: choice ?? "auto",
    oneCallOnly: body.parallel_tool_calls === false,
    json: !format || format.type === "text" ? undefined : { schema: format.schema },
    maxTokens: body.max_output_tokens ?? undefined,
    stop: [],
  };
}

function turnOfItem({ type, role, content, output }: z.infer<typeof InputItem>): DemoTurn {
  if (type === "function_call_output") return toTurn("tool", output);
  if (type && type !== "message") return toTurn("assistant", null);
  return toTurn(role === "developer" ? "system" : (role ?? "user"), content);
}

/** Creates the response object; echoes the client's settings as OpenAI does. Nothing is stored. */
function createResponse(options: DemoOptions, body: ResponsesRequest) {
  return {
    id: `resp_${options.newId()}`,
    object: "response",
    created_at: unixSeconds(options.now()),
    error: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model: body.model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: "disabled",
  };
}

function toOutput(options: DemoOptions, reply: DemoReply): OutputItem[] {
  const status = reply.ended === "length" ? "incomplete" : "completed";
  if (reply.calls.length === 0) {
    const content = [
      { type: "output_text" as const, text: reply.text, annotations: [], logprobs: [] },
    ];
    return [{ id: `msg_${options.newId()}`, type: "message", role: "assistant", status, content }];
  }
  return reply.calls.map((call) => ({
    id: `fc_${options.newId()}`,
    type: "function_call",
    call_id: `call_${options.newId()}`,
    status,
    ...call,
  }));
}
