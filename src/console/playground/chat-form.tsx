/** Chat of the playground: streams the response, and shows tool calls. */
import { type KeyboardEvent, useState } from "react";
import { createEventSplitter, readData } from "../../lib/http/split-events.ts";
import { AreaField, CheckField } from "../ui/field.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { ModelField, pickModel } from "./model-field.tsx";
import type { PlaygroundFormProps } from "./playground-page.tsx";
import { useExchange } from "./use-exchange.ts";

interface Turn {
  role: "user" | "assistant";
  content: string;
  /** Tool calls of the model, as JSON. */
  calls?: string;
}

export function ChatForm({ gateway_id, consumer, send, models }: PlaygroundFormProps) {
  const [model, setModel] = useState(() =>
    pickModel(models, /chat|gpt|claude|gemini|llama|mistral/i),
  );
  const [system, setSystem] = useState("");
  const [tools, setTools] = useState("");
  const [stream, setStream] = useState(true);
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [draft, setDraft] = useState("");
  const exchange = useExchange(send);
  const parsedTools = parseTools(tools);

  const messagesOf = (all: readonly Turn[]) => [
    ...(system ? [{ role: "system", content: system }] : []),
    ...all.map(({ role, content }) => ({ role, content })),
  ];
  const bodyOf = (all: readonly Turn[]) => ({
    ...(model ? { model } : {}),
    messages: messagesOf(all),
    ...(parsedTools?.length ? { tools: parsedTools } : {}),
    ...(stream ? { stream } : {}),
  });
  const submit = () => {
    if (exchange.busy || draft.trim() === "" || parsedTools === undefined) return;
    const sent: readonly Turn[] = [...turns, { role: "user", content: draft }];
    setTurns(sent);
    setDraft("");
    const show = (reply: ChatReply) => setTurns([...sent, { role: "assistant", ...reply }]);
    exchange.run({ path: "/v1/chat/completions", body: bodyOf(sent) }, async (response) => {
      if (stream) await readStream(response, show);
      else show(readMessage(await response.json()));
    });
  };
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <div className="playground">
      <div>
        <ModelField value={model} models={models} onChange={setModel} />
        <AreaField label="System prompt" value={system} rows={2} onChange={setSystem} />
        <AreaField
          label="Tools (JSON)"
          code
          value={tools}
          rows={3}
          onChange={setTools}
          hint="A list of function tools in the OpenAI format. Empty: none."
          problem={parsedTools ? undefined : "This is not a JSON list."}
        />
        <CheckField label="Stream the response" checked={stream} onChange={setStream} />
      </div>
      <div>
        <ol className="chat" aria-label="Conversation" aria-live="polite">
          {turns.map((turn, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only appended
            <li key={index} className={turn.role}>
              <strong>{turn.role === "user" ? "You" : "Model"}</strong>
              <p>{turn.content}</p>
              {turn.calls && <pre>{turn.calls}</pre>}
            </li>
          ))}
        </ol>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Enter is a shortcut for Send */}
        <div onKeyDown={submitByKey}>
          <AreaField
            label="Message"
            value={draft}
            rows={3}
            onChange={setDraft}
            hint="Ctrl+Enter sends."
          />
        </div>
        <div className="row">
          <button
            type="button"
            className="button primary"
            disabled={exchange.busy || draft.trim() === "" || parsedTools === undefined}
            onClick={submit}
          >
            Send
          </button>
          {exchange.busy && (
            <button type="button" className="button" onClick={exchange.stop}>
              Stop
            </button>
          )}
          {turns.length > 0 && !exchange.busy && (
            <button type="button" className="button" onClick={() => setTurns([])}>
              New conversation
            </button>
          )}
        </div>
        <ExchangeView
          gateway_id={gateway_id}
          exchange={exchange}
          snippet={{
            slug: consumer.slug,
            path: "/v1/chat/completions",
            method: "chat.completions.create",
            json: bodyOf(turns.length > 0 ? turns : [{ role: "user", content: draft || "Hello!" }]),
          }}
        />
      </div>
    </div>
  );
}

/** Returns undefined if the text is not a JSON list. */
function parseTools(text: string): unknown[] | undefined {
  if (text.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type ChatReply = Pick<Turn, "content" | "calls">;

interface ToolCall {
  index?: number;
  function?: { name?: string; arguments?: string };
}

interface Chunk {
  choices?: { delta?: MessageParts; message?: MessageParts }[];
  error?: { message?: string };
}

interface MessageParts {
  content?: string | null;
  tool_calls?: ToolCall[];
}

function readMessage(body: Chunk): ChatReply {
  const message = body.choices?.[0]?.message;
  return describeReply(message?.content ?? "", message?.tool_calls ?? []);
}

/** Calls `show` with the text so far, for each chunk that arrives. */
async function readStream(response: Response, show: (reply: ChatReply) => void): Promise<void> {
  const splitter = createEventSplitter();
  const calls: ToolCall[] = [];
  let content = "";
  for await (const bytes of response.body ?? []) {
    for (const event of splitter.push(bytes)) {
      const data = readData(event);
      if (data === "" || data === "[DONE]") continue;
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.error) throw new Error(chunk.error.message ?? "The stream ended with an error.");
      const delta = chunk.choices?.[0]?.delta;
      content += delta?.content ?? "";
      for (const call of delta?.tool_calls ?? []) addToolCall(calls, call);
    }
    show(describeReply(content, calls));
  }
}

function addToolCall(calls: ToolCall[], { index = 0, function: part }: ToolCall): void {
  const known = calls[index]?.function;
  calls[index] = {
    function: {
      name: known?.name ?? part?.name ?? "",
      arguments: (known?.arguments ?? "") + (part?.arguments ?? ""),
    },
  };
}

const describeReply = (content: string, calls: readonly ToolCall[]): ChatReply =>
  calls.length === 0
    ? { content }
    : {
        content,
        calls: calls
          .map((call) => `${call.function?.name}(${call.function?.arguments})`)
          .join("\n"),
      };
