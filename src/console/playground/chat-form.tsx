/** Chat of the playground: streams the response, and continues with the results of tool calls. */
import { type KeyboardEvent, useState } from "react";
import { AppError } from "../../contract/errors.ts";
import { NO_TOOLS, type ToolsDraft, toTools } from "../tools/tool-draft.ts";
import { ToolsField } from "../tools/tools-field.tsx";
import { AreaField, CheckField } from "../ui/fields/field.tsx";
import { type ChatReply, readReply, readStream } from "./chat-reply.ts";
import { ChatTurns, findPendingCalls, ToolResults, type Turn } from "./chat-turns.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { ModelField, pickModel } from "./model-field.tsx";
import type { PlaygroundFormProps } from "./playground-page.tsx";
import { useExchange } from "./use-exchange.ts";

export function ChatForm({ gateway_id, consumer, send, models }: PlaygroundFormProps) {
  const [model, setModel] = useState(() =>
    pickModel(models, /chat|gpt|claude|gemini|llama|mistral/i),
  );
  const [system, setSystem] = useState("");
  const [tools, setTools] = useState(NO_TOOLS);
  const [stream, setStream] = useState(true);
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [draft, setDraft] = useState("");
  // In one column, they would push the message out of view.
  const [isWide] = useState(() => matchMedia("(width > 900px)").matches);
  const exchange = useExchange(send);
  const { value: parsedTools, error: toolsError } = readTools(tools);

  const pendingCalls = exchange.busy ? [] : findPendingCalls(turns);
  const bodyOf = (all: readonly Turn[]) => ({
    ...(model ? { model } : {}),
    messages: [...(system ? [{ role: "system", content: system }] : []), ...all],
    ...(parsedTools?.length ? { tools: parsedTools } : {}),
    ...(stream ? { stream } : {}),
  });
  const sendTurns = async (added: readonly Turn[]): Promise<boolean> => {
    const sent = [...turns, ...added];
    setTurns(sent);
    const show = (reply: ChatReply) => setTurns([...sent, toTurn(reply)]);
    const accepted = await exchange.run(
      { path: "/v1/chat/completions", body: bodyOf(sent) },
      async (response) => {
        if (stream) await readStream(response, show);
        else show(await readReply(response));
      },
    );
    // A later request would send the rejected turns again, and be rejected for the same reason.
    if (!accepted) setTurns(turns);
    return accepted;
  };
  const submit = async () => {
    if (exchange.busy || draft.trim() === "" || parsedTools === undefined) return;
    setDraft("");
    // A rejected message can be changed and sent again, unless another one was typed.
    if (!(await sendTurns([{ role: "user", content: draft }]))) setDraft((typed) => typed || draft);
  };
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit();
  };
  const restart = turns.length > 0 && !exchange.busy && (
    <button type="button" className="button" onClick={() => setTurns([])}>
      New conversation
    </button>
  );
  return (
    <div className="playground">
      <div>
        <ModelField value={model} models={models} onChange={setModel} />
        <details open={isWide}>
          <summary>System prompt and tools</summary>
          <AreaField label="System prompt" value={system} rows={2} onChange={setSystem} />
          <ToolsField
            label="Tools"
            hint="Functions that the model may call. You enter their results."
            draft={tools}
            onChange={setTools}
            error={toolsError}
            at="tools"
          />
        </details>
        <CheckField label="Stream the response" checked={stream} onChange={setStream} />
      </div>
      <div>
        <ChatTurns turns={turns} />
        {pendingCalls.length > 0 ? (
          <ToolResults calls={pendingCalls} send={sendTurns}>
            {restart}
          </ToolResults>
        ) : (
          // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Enter is a shortcut for Send
          <div onKeyDown={submitByKey}>
            <AreaField
              label="Message"
              value={draft}
              rows={3}
              onChange={setDraft}
              hint="Ctrl+Enter sends."
            />
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
              {restart}
            </div>
          </div>
        )}
        <ExchangeView
          gateway_id={gateway_id}
          exchange={exchange}
          snippet={{
            slug: consumer.slug,
            path: "/v1/chat/completions",
            method: "chat.completions.create",
            json: bodyOf(
              turns.length > 0 && !draft
                ? turns
                : [...turns, { role: "user", content: draft || "Hello!" }],
            ),
          }}
        />
      </div>
    </div>
  );
}

/** Returns the definitions, or the first error in the fields. */
function readTools(draft: ToolsDraft): { value?: unknown[]; error?: AppError } {
  try {
    return { value: toTools(draft, "tools") };
  } catch (thrown) {
    return { error: AppError.from(thrown) };
  }
}

/** An empty text beside tool calls is null: some upstreams reject it. */
const toTurn = ({ content, tool_calls }: ChatReply): Turn =>
  tool_calls.length === 0
    ? { role: "assistant", content }
    : { role: "assistant", content: content || null, tool_calls };
