/** Reads a stream of Gemini: each chunk is a response whose parts continue those before them. */

import { defined } from "../defined.ts";
import type { StreamReader } from "../dialect.ts";
import {
  asCount,
  asList,
  asObject,
  asText,
  invalidResponse,
  parseEvent,
} from "../invalid-response.ts";
import type { NeutralEvent, OutputPart, StopReason, Usage } from "../neutral.ts";
import { readError } from "./errors.ts";
import {
  continues,
  createPartReader,
  type PartReader,
  readStopReason,
  readUsage,
} from "./read-response.ts";

export function createGenerateContentStreamReader(): StreamReader {
  let reader: PartReader | undefined;
  /** The part that later chunks may continue. */
  let open: OutputPart | undefined;
  let hasCalls = false;
  let stop_reason: StopReason | undefined;
  let usage: Usage | undefined;
  let isEnded = false;

  function endPart(): NeutralEvent[] {
    if (!open) return [];
    open = undefined;
    return [{ type: "part_end" }];
  }

  function addPart(part: OutputPart): NeutralEvent[] {
    const events: NeutralEvent[] = [];
    if (!open || !continues(open, part)) {
      events.push(...endPart(), { type: "part_start", part: withoutContent(part) });
      open = part;
    }
    const text = part.type === "tool_call" ? part.arguments : part.text;
    if (text !== "") events.push({ type: "delta", text });
    if (part.type === "thinking" && part.signature) {
      events.push({ type: "signature", signature: part.signature });
      open = part;
    }
    if (part.type !== "tool_call") return events;
    hasCalls = true;
    return [...events, ...endPart()];
  }

  return {
    read(_name, data) {
      if (isEnded || data === "[DONE]") return [];
      const chunk = parseEvent(data);
      const { error } = chunk;
      if (error !== undefined) {
        isEnded = true;
        const status = asCount(asObject(error).code) || 500;
        return [{ type: "error", error: readError(status, chunk) }];
      }
      const events: NeutralEvent[] = [];
      if (!reader) {
        reader = createPartReader(chunk);
        const id = asText(chunk.responseId) || undefined;
        events.push(defined({ type: "start" as const, id, usage: readUsage(chunk.usageMetadata) }));
      }
      const candidate = asObject(asList(chunk.candidates)[0]);
      for (const value of asList(asObject(candidate.content).parts)) {
        for (const part of reader.read(asObject(value))) events.push(...addPart(part));
      }
      usage = readUsage(chunk.usageMetadata) ?? usage;
      if (chunk.candidates !== undefined || chunk.promptFeedback !== undefined) {
        stop_reason = readStopReason(chunk, hasCalls) ?? stop_reason;
      }
      return events;
    },
    end() {
      if (isEnded) return [];
      if (!stop_reason) throw invalidResponse("ended early");
      reader?.end(stop_reason);
      isEnded = true;
      return [...endPart(), { type: "end", stop_reason, ...(usage && { usage }) }];
    },
  };
}

/** Returns the part as it is announced. */
function withoutContent(part: OutputPart): OutputPart {
  switch (part.type) {
    case "text":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", text: "" };
    case "tool_call":
      return { ...part, arguments: "" };
  }
}
