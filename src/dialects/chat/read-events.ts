/** Reads the stream of a chat completion. */

import { newId } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import type { StreamReader } from "../dialect.ts";
import {
  asList,
  asObject,
  asText,
  invalidResponse,
  parseEvent,
  unknownContent,
} from "../invalid-response.ts";
import type { NeutralEvent, OutputPart, TextPart, ThinkingPart, Usage } from "../neutral.ts";
import { readOpenAiError } from "../openai-errors.ts";
import { findReasoning, readArguments, readContent, rejectOtherContent } from "./read-response.ts";
import { createPartSequence, isComplete, type StreamedPart } from "./sequence-parts.ts";
import { readFinishReason } from "./stop-reasons.ts";
import { readChatUsage } from "./usage.ts";

interface StreamedCall {
  id: string;
  streamed: StreamedPart;
}

export function createChatStreamReader(): StreamReader {
  let isStarted = false;
  let isOver = false;
  let finishReason: unknown;
  let usage: Usage | undefined;
  const said = { calls: false, refusal: false };
  let events: NeutralEvent[] = [];
  const sequence = createPartSequence((event) => events.push(event));
  /** By index, or by id if the server sends no index. */
  const calls = new Map<unknown, StreamedCall>();
  let lastKey: unknown;

  function addText(part: TextPart | ThinkingPart): void {
    if (part.text === "") return;
    const last = sequence.last();
    const isOpen = last?.part.type === part.type && isRefusal(last.part) === isRefusal(part);
    sequence.add(isOpen ? last : startText(part), part.text);
  }

  const startText = (part: TextPart | ThinkingPart): StreamedPart =>
    part.type === "thinking"
      ? sequence.start({ type: "thinking", text: "" }, part.signature)
      : sequence.start({ ...part, text: "" });

  function addToolCall(value: unknown): void {
    const { index, id: givenId, type, function: called } = asObject(value);
    if (type !== undefined && type !== null && type !== "function") throw unknownContent(type);
    const { name: givenName, arguments: given } = asObject(called);
    const [id, name, args] = [asText(givenId), asText(givenName), readArguments(given)];
    const key = index ?? (id || lastKey);
    let call = calls.get(key);
    // Some servers give all calls the same index, others give each delta another id: only a new call has a name.
    const isOther = id ? call?.id !== id : args && call && isComplete(call.streamed);
    if (!call || (name && isOther)) {
      if (!name) throw invalidResponse("continues a tool call that has not started");
      said.calls = true;
      const part = { type: "tool_call" as const, id: id || `call_${newId()}`, name, arguments: "" };
      call = { id: part.id, streamed: sequence.start(part) };
      calls.set(key, call);
    }
    lastKey = key;
    if (args) sequence.add(call.streamed, args);
  }

  function addDelta(delta: JsonObject): void {
    rejectOtherContent(delta);
    const reasoning = findReasoning(delta);
    if (reasoning) addText({ type: "thinking", ...reasoning });
    for (const part of readContent(delta.content)) addText(part);
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      said.refusal = true;
      addText({ type: "text", text: delta.refusal, is_refusal: true });
    }
    for (const call of asList(delta.tool_calls)) addToolCall(call);
  }

  function finish(): void {
    if (isOver) return;
    isOver = true;
    if (finishReason === undefined) throw invalidResponse("ended early");
    sequence.end();
    const stop_reason = readFinishReason(finishReason, said);
    events.push(defined({ type: "end" as const, stop_reason, usage }));
  }

  function readChunk(chunk: JsonObject): void {
    if (chunk.error) {
      isOver = true;
      const { code } = asObject(chunk.error);
      const error = readOpenAiError(typeof code === "number" ? code : FAILED, chunk);
      events.push({ type: "error", error });
      return;
    }
    if (!isStarted) {
      isStarted = true;
      events.push(defined({ type: "start" as const, id: asText(chunk.id) || undefined }));
    }
    const [choice] = asList(chunk.choices);
    if (choice) {
      const { delta, finish_reason } = asObject(choice);
      addDelta(asObject(delta));
      finishReason = finish_reason ?? finishReason;
    }
    usage = readChatUsage(chunk.usage) ?? usage;
  }

  const takeEvents = (): NeutralEvent[] => {
    const taken = events;
    events = [];
    return taken;
  };

  return {
    read(_name, data) {
      if (isOver) return [];
      if (data === "[DONE]") finish();
      else readChunk(parseEvent(data));
      return takeEvents();
    },
    end() {
      finish();
      return takeEvents();
    },
  };
}

/** Status of an error event that has none. */
const FAILED = 502;

const isRefusal = (part: OutputPart): boolean => part.type === "text" && part.is_refusal === true;
