/** Reads a Converse stream. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import type { StreamReader } from "../dialect.ts";
import {
  asObject,
  asText,
  invalidResponse,
  parseEvent,
  unknownContent,
} from "../invalid-response.ts";
import type { NeutralEvent, OutputPart, StopReason } from "../neutral.ts";
import { readException } from "./errors.ts";
import { readStopReason, readUsage, toRedacted } from "./read-response.ts";

export function createConverseStreamReader(): StreamReader {
  /** Index and part of the open content block. */
  let open: { index: unknown; type: OutputPart["type"] } | undefined;
  let stop_reason: StopReason | undefined;
  let isEnded = false;

  function startPart(index: unknown, part: OutputPart): NeutralEvent[] {
    if (open) throw invalidResponse("has a content block inside of another one");
    open = { index, type: part.type };
    return [{ type: "part_start", part }];
  }

  /** Text and reasoning start with their first delta. */
  function continuePart(index: unknown, type: "text" | "thinking"): NeutralEvent[] {
    if (!open) return startPart(index, { type, text: "" });
    if (open.index !== index || open.type !== type) {
      throw invalidResponse("has a delta of a content block that is not open");
    }
    return [];
  }

  function readDelta(index: unknown, delta: JsonObject): NeutralEvent[] {
    if (typeof delta.text === "string") {
      return [...continuePart(index, "text"), { type: "delta", text: delta.text }];
    }
    if (delta.toolUse) {
      if (open?.index !== index || open?.type !== "tool_call") {
        throw invalidResponse("has arguments of a tool call that is not open");
      }
      return [{ type: "delta", text: asText(asObject(delta.toolUse).input) }];
    }
    if (delta.reasoningContent) {
      const { text, signature, redactedContent } = asObject(delta.reasoningContent);
      const started = continuePart(index, "thinking");
      if (typeof redactedContent === "string") {
        return [...started, { type: "signature", signature: toRedacted(redactedContent) }];
      }
      const value = asText(signature);
      return value
        ? [...started, { type: "signature", signature: { dialect: "converse", value } }]
        : [...started, { type: "delta", text: asText(text) }];
    }
    // The text that is cited arrives as text.
    if (delta.citation) return [];
    throw unknownContent(Object.keys(delta)[0]);
  }

  function startBlock(index: unknown, start: JsonObject): NeutralEvent[] {
    if (!start.toolUse) {
      const [type] = Object.keys(start);
      if (type === undefined) return [];
      throw unknownContent(type);
    }
    const { toolUseId, name } = asObject(start.toolUse);
    if (typeof toolUseId !== "string" || typeof name !== "string") {
      throw invalidResponse("has a tool call without an id or a name");
    }
    return startPart(index, { type: "tool_call", id: toolUseId, name, arguments: "" });
  }

  function end(usage: unknown): NeutralEvent[] {
    if (!stop_reason || open) throw invalidResponse("ended early");
    isEnded = true;
    return [defined({ type: "end" as const, stop_reason, usage: readUsage(usage) })];
  }

  return {
    read(name, data) {
      if (isEnded) return [];
      const event = parseEvent(data);
      const { contentBlockIndex: index } = event;
      switch (name) {
        case "messageStart":
          return [{ type: "start" }];
        case "contentBlockStart":
          return startBlock(index, asObject(event.start));
        case "contentBlockDelta":
          return readDelta(index, asObject(event.delta));
        case "contentBlockStop":
          // An empty block has no delta, and so it has not started.
          if (!open) return [];
          if (open.index !== index) throw invalidResponse("ends a content block that is not open");
          open = undefined;
          return [{ type: "part_end" }];
        case "messageStop":
          stop_reason = readStopReason(event.stopReason);
          return [];
        case "metadata":
          return end(event.usage);
        default: {
          const error = readException(name, event);
          if (!error) return [];
          isEnded = true;
          return [{ type: "error", error }];
        }
      }
    },
    end: () => (isEnded ? [] : end(undefined)),
  };
}
