/** Reads the response of a chat, complete or streamed, with its tool calls. */
import { createEventSplitter, readData } from "../../lib/http/split-events.ts";

/** Other members, such as signatures of the model, are sent back unchanged. */
export interface ChatToolCall {
  id: string;
  function: { name: string; arguments: string };
}

export interface ChatReply {
  content: string;
  tool_calls: readonly ChatToolCall[];
}

/** A part of a call in a stream. */
interface ChatToolCallDelta {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}

interface ChatBody {
  choices?: { message?: { content?: string | null; tool_calls?: ChatToolCall[] } }[];
}

interface Chunk {
  choices?: { delta?: { content?: string | null; tool_calls?: ChatToolCallDelta[] } }[];
  error?: { message?: string };
}

export async function readReply(response: Response): Promise<ChatReply> {
  const body = (await response.json()) as ChatBody;
  const message = body.choices?.[0]?.message;
  return { content: message?.content ?? "", tool_calls: message?.tool_calls ?? [] };
}

/** Calls `show` with the reply so far, for each chunk that arrives. */
export async function readStream(
  response: Response,
  show: (reply: ChatReply) => void,
): Promise<void> {
  const splitter = createEventSplitter();
  const calls: ChatToolCall[] = [];
  let content = "";
  for await (const bytes of response.body ?? []) {
    for (const event of splitter.push(bytes)) {
      const data = readData(event);
      if (data === "" || data === "[DONE]") continue;
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.error) throw new Error(chunk.error.message ?? "The stream ended with an error.");
      const delta = chunk.choices?.[0]?.delta;
      content += delta?.content ?? "";
      for (const part of delta?.tool_calls ?? []) addToolCall(calls, part);
    }
    show({ content, tool_calls: [...calls] });
  }
}

function addToolCall(
  calls: ChatToolCall[],
  { index = 0, function: part, ...others }: ChatToolCallDelta,
) {
  const known = calls[index];
  calls[index] = {
    id: "",
    ...known,
    ...others,
    function: {
      name: known?.function.name || (part?.name ?? ""),
      arguments: (known?.function.arguments ?? "") + (part?.arguments ?? ""),
    },
  };
}
