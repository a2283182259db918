/** `POST /v1/completions`: the demo model in OpenAI's legacy format, whole or streamed. */
import { z } from "zod";
import { composeReply, type DemoReply } from "./compose-reply.ts";
import { toTurn } from "./turns.ts";
import {
  type DemoOptions,
  formatEvent,
  paceWords,
  readJson,
  streamEvents,
  unixSeconds,
} from "./wire.ts";

const CompletionsRequest = z.object({
  model: z.string().default("demo-chat"),
  prompt: z.union([z.string(), z.array(z.string()).min(1).max(20)]),
  max_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});
type CompletionsRequest = z.infer<typeof CompletionsRequest>;

export async function handleCompletions(options: DemoOptions, request: Request): Promise<Response> {
  const body = await readJson(request, CompletionsRequest);
  if (body instanceof Response) return body;
  const replies = [body.prompt].flat().map((prompt) => composeReply(toPrompt(body, prompt)));
  const frame = {
    id: `cmpl-${options.newId()}`,
    object: "text_completion",
    created: unixSeconds(options.now()),
    model: body.model,
  };
  if (body.stream) {
    const withUsage = body.stream_options?.include_usage === true;
    return streamEvents(streamChunks(frame, replies, withUsage));
  }
  const choices = replies.map(({ text, ended }, index) => toChoice(index, text, ended));
  return Response.json({ ...frame, choices, usage: toUsage(replies) });
}

const toPrompt = ({ max_tokens, stop }: CompletionsRequest, prompt: string) => ({
  turns: [toTurn("user", prompt)],
  tools: [],
  toolChoice: "none" as const,
  oneCallOnly: false,
  json: undefined,
  maxTokens: max_tokens ?? undefined,
  stop: [stop ?? []].flat(),
});

const toChoice = (index: number, text: string, finish_reason: string | null) => ({
  text,
  index,
  logprobs: null,
  finish_reason,
});

async function* streamChunks(frame: object, replies: readonly DemoReply[], withUsage: boolean) {
  const chunk = (choices: unknown[], usage: unknown = null) =>
    formatEvent({ ...frame, choices, ...(withUsage && { usage }) });
  for (const [index, { text, ended }] of replies.entries()) {
    for await (const piece of paceWords(text)) yield chunk([toChoice(index, piece, null)]);
    yield chunk([toChoice(index, "", ended)]);
  }
  if (withUsage) yield chunk([], toUsage(replies));
  yield "data: [DONE]\n\n";
}

function toUsage(replies: readonly DemoReply[]) {
  const prompt_tokens = replies.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const completion_tokens = replies.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
