/** The turns of a chat, and fields for the results of the tools that the model calls. */
import { type ReactNode, useState } from "react";
import { AreaField } from "../ui/fields/field.tsx";
import type { ChatToolCall } from "./chat-reply.ts";

/** A message of the API. */
export type Turn =
  | { role: "user"; content: string }
  | { role: "assistant"; content: string | null; tool_calls?: readonly ChatToolCall[] }
  | { role: "tool"; content: string; tool_call_id: string };

/** Returns the calls that the model waits for. */
export function findPendingCalls(turns: readonly Turn[]): readonly ChatToolCall[] {
  const last = turns.at(-1);
  return last?.role === "assistant" ? (last.tool_calls ?? []) : [];
}

export function ChatTurns({ turns }: { turns: readonly Turn[] }) {
  const calls = turns.flatMap((turn) => (turn.role === "assistant" ? (turn.tool_calls ?? []) : []));
  const titleOf = (turn: Turn): string => {
    if (turn.role !== "tool") return turn.role === "user" ? "You" : "Model";
    const call = calls.findLast(({ id }) => id === turn.tool_call_id);
    return `Result of ${call?.function.name}`;
  };
  return (
    <ol className="chat" aria-label="Conversation" aria-live="polite">
      {turns.map((turn, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are only appended
        <li key={index} className={turn.role}>
          <strong>{titleOf(turn)}</strong>
          {turn.content && <p>{turn.content}</p>}
          {turn.role === "assistant" && turn.tool_calls && (
            <pre>{turn.tool_calls.map(describeCall).join("\n")}</pre>
          )}
        </li>
      ))}
    </ol>
  );
}

const describeCall = ({ function: { name, arguments: given } }: ChatToolCall): string =>
  `${name}(${given})`;

interface ToolResultsProps {
  calls: readonly ChatToolCall[];
  send: (results: readonly Turn[]) => void;
  /** Other buttons. */
  children: ReactNode;
}

/** A field for each call. The model continues when all results are sent. */
export function ToolResults({ calls, send, children }: ToolResultsProps) {
  const [results, setResults] = useState<readonly string[]>([]);
  const isComplete = calls.every((_, index) => results[index]?.trim());
  const submit = () => {
    if (!isComplete) return;
    send(
      calls.map(({ id }, index) => ({
        role: "tool",
        tool_call_id: id,
        content: results[index] ?? "",
      })),
    );
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Enter is a shortcut for Send
    <div
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
      }}
    >
      {calls.map((call, index) => (
        <AreaField
          key={call.id}
          label={`Result of ${call.function.name}`}
          value={results[index] ?? ""}
          rows={3}
          onChange={(text) =>
            setResults(calls.map((_, at) => (at === index ? text : (results[at] ?? ""))))
          }
          hint={`The model called ${describeCall(call)}. Enter what the tool returns, as text or JSON.`}
        />
      ))}
      <div className="row">
        <button type="button" className="button primary" disabled={!isComplete} onClick={submit}>
          {calls.length === 1 ? "Send the result" : "Send the results"}
        </button>
        {children}
      </div>
    </div>
  );
}
