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
import type { NeutralEvent, OutputPart, PartSignature, Usage } from "../neutral.ts";
import { readOpenAiError } from "../openai-errors.ts";
import { findReasoning, readArguments, readContent, rejectOtherContent } from "./read-response.ts";
import { readFinishReason } from "./stop-reasons.ts";
import { readChatUsage } from "./usage.ts";

interface OpenPart {
  kind: "text" | "refusal" | "thinking" | "tool_call";
  signature?: PartSignature | undefined;
  /** Of a tool call. */
  index?: unknown;
  id?: string;
}

export function createChatStreamReader(): StreamReader {
  let isStarted = false;
  let isOver = false;
  let open: OpenPart | undefined;
  let finishReason: unknown;
  let usage: Usage | undefined;
  const said = { calls: false, refusal: false };
  let events: NeutralEvent[] = [];

  function closePart(): void {
    if (!open) return;
    if (open.signature) events.push({ type: "signature", signature: open.signature });
    events.push({ type: "part_end" });
    open = undefined;
  }

  function openPart(next: OpenPart, part: OutputPart): void {
    closePart();
    open = next;
    events.push({ type: "part_start", part });
  }

  function addText(kind: "text" | "refusal" | "thinking", text: string, signature?: PartSignature) {
    if (text === "") return;
    if (open?.kind !== kind) {
      if (kind === "thinking") openPart({ kind, signature }, { type: "thinking", text: "" });
      else if (kind === "text") openPart({ kind }, { type: "text", text: "" });
      else openPart({ kind }, { type: "text", text: "", is_refusal: true });
    }
    events.push({ type: "delta", text });
  }

  function addToolCall(value: unknown): void {
    const call = asObject(value);
    if (call.type !== undefined && call.type !== null && call.type !== "function") {
      throw unknownContent(call.type);
    }
    const { name, arguments: text } = asObject(call.function);
    const id = asText(call.id);
    const isOpen =
      open?.kind === "tool_call" &&
      (call.index === undefined || call.index === open.index) &&
      (id === "" || id === open.id);
    if (!isOpen) {
      if (!asText(name)) throw invalidResponse("continues a tool call that has ended");
      said.calls = true;
      const callId = id || `call_${newId()}`;
      openPart(
        { kind: "tool_call", index: call.index, id: callId },
        { type: "tool_call", id: callId, name: asText(name), arguments: "" },
      );
    }
    const args = readArguments(text);
    if (args) events.push({ type: "delta", text: args });
  }

  function addDelta(delta: JsonObject): void {
    rejectOtherContent(delta);
    const reasoning = findReasoning(delta);
    if (reasoning) addText("thinking", reasoning.text, reasoning.signature);
    if (typeof delta.content === "string") addText("text", delta.content);
    else if (delta.content) {
      for (const part of readContent(delta.content)) {
        if (part.type !== "tool_call") addText(part.type, part.text);
      }
    }
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      said.refusal = true;
      addText("refusal", delta.refusal);
    }
    for (const call of asList(delta.tool_calls)) addToolCall(call);
  }

  function finish(): void {
    if (isOver) return;
    isOver = true;
    if (finishReason === undefined) throw invalidResponse("ended early");
    closePart();
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
