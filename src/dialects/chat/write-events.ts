/** Writes the stream of a chat completion. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { packCallId } from "../carry-signature.ts";
import type { ReplyContext, StreamWriter } from "../dialect.ts";
import { asObject } from "../invalid-response.ts";
import type { NeutralEvent, OutputPart, ThinkingPart } from "../neutral.ts";
import { writeOpenAiError } from "../openai-errors.ts";
import { writeFinishReason } from "./stop-reasons.ts";
import { writeChatUsage } from "./usage.ts";
import { writeReasoningDetail } from "./write-response.ts";

export function createChatStreamWriter(reply: ReplyContext): StreamWriter {
  const hasUsage = asObject(reply.request.stream_options).include_usage === true;
  let id = `chatcmpl-${reply.id}`;
  let part: OutputPart | undefined;
  let isEmpty = true;
  let calls = 0;
  let details = 0;
  let hasRefusal = false;

  const write = (choices: JsonObject[], more: JsonObject = {}): string => {
    const { created, model } = reply;
    const object = "chat.completion.chunk";
    return `data: ${JSON.stringify({ id, object, created, model, choices, ...more })}\n\n`;
  };
  const writeDelta = (delta: JsonObject, finish_reason: string | null = null): string =>
    write([{ index: 0, delta, logprobs: null, finish_reason }], hasUsage ? { usage: null } : {});

  function startPart(started: OutputPart): string {
    part = started;
    isEmpty = true;
    if (part.type === "text" && part.is_refusal) hasRefusal = true;
    if (part.type !== "tool_call") return "";
    const { name } = part;
    const call = { index: calls, id: packCallId(part.id, part.signature), type: "function" };
    return writeDelta({ tool_calls: [{ ...call, function: { name, arguments: "" } }] });
  }

  function writeText(text: string): string {
    isEmpty = false;
    if (part?.type === "tool_call") {
      return writeDelta({ tool_calls: [{ index: calls, function: { arguments: text } }] });
    }
    if (part?.type === "thinking") {
      part.text += text;
      return writeDelta({ reasoning_content: text });
    }
    return writeDelta(part?.is_refusal ? { refusal: text } : { content: text });
  }

  function endPart(): string {
    if (part?.type === "thinking") return writeSigned(part);
    if (part?.type !== "tool_call") return "";
    const missing = isEmpty ? writeText("{}") : "";
    calls += 1;
    return missing;
  }

  /** The complete part in one delta, because clients keep only the last value of an unknown member. */
  function writeSigned(thinking: ThinkingPart): string {
    const reasoning_details = writeReasoningDetail(thinking, details++);
    return reasoning_details.length > 0 ? writeDelta({ reasoning_details }) : "";
  }

  return {
    write(event: NeutralEvent): string {
      switch (event.type) {
        case "start":
          id = event.id ?? id;
          return writeDelta({ role: "assistant", content: "", refusal: null });
        case "part_start":
          return startPart(event.part);
        case "delta":
          return writeText(event.text);
        case "signature":
          if (part?.type === "thinking") part.signature = event.signature;
          return "";
        case "part_end":
          return endPart();
        case "end": {
          const last = writeDelta({}, writeFinishReason(event.stop_reason, hasRefusal));
          const usage = hasUsage ? write([], { usage: writeChatUsage(event.usage) }) : "";
          return `${last}${usage}data: [DONE]\n\n`;
        }
        case "error":
          return `data: ${JSON.stringify(writeOpenAiError(event.error))}\n\n`;
      }
    },
  };
}
