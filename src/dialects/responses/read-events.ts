/** Reads a stream in the responses format. Content that was not streamed is read from the complete items. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import type { StreamReader } from "../dialect.ts";
import {
  asCount,
  asList,
  asObject,
  asText,
  invalidResponse,
  parseEvent,
  unknownContent,
} from "../invalid-response.ts";
import type { NeutralEvent, OutputPart } from "../neutral.ts";
import { readEventError } from "./read-event-error.ts";
import {
  readContentPart,
  readItem,
  readStopReason,
  readToolCall,
  readUsage,
} from "./read-response.ts";

export function createResponsesStreamReader(): StreamReader {
  /** Parts in the order of the stream, without their texts. */
  const parts: OutputPart[] = [];
  /** Locations of the parts that have started: an item, or an item and its content part. */
  const locations = new Set<string>();
  let open: { location: string; part: OutputPart; has_text: boolean } | undefined;
  let isStarted = false;
  let isEnded = false;

  function start(response: JsonObject): NeutralEvent[] {
    if (isStarted) return [];
    isStarted = true;
    return [defined({ type: "start" as const, id: asText(response.id) || undefined })];
  }

  function startPart(location: string, part: OutputPart): NeutralEvent[] {
    if (open) throw invalidResponse("has an item that starts before the previous one has ended");
    if (locations.has(location)) throw invalidResponse("has an item that starts twice");
    locations.add(location);
    parts.push(part);
    open = { location, part, has_text: false };
    return [...start({}), { type: "part_start", part }];
  }

  function addText(location: string, text: string, create: () => OutputPart): NeutralEvent[] {
    const started = open ? [] : startPart(location, create());
    if (open?.location !== location)
      throw invalidResponse("has a delta of an item that is not open");
    if (text === "") return started;
    open.has_text = true;
    return [...started, { type: "delta", text }];
  }

  /** Ends the part; `complete` is the text that must have been streamed. */
  function endPart(location: string, complete: OutputPart): NeutralEvent[] {
    const events = locations.has(location) ? [] : startPart(location, withoutText(complete));
    if (open?.location !== location) return [];
    const text = complete.type === "tool_call" ? complete.arguments : complete.text;
    if (!open.has_text && text) events.push({ type: "delta", text });
    if (complete.type === "thinking" && complete.signature) {
      events.push({ type: "signature", signature: complete.signature });
    }
    open = undefined;
    return [...events, { type: "part_end" }];
  }

  function endItem(item: JsonObject, index: string): NeutralEvent[] {
    if (item.type !== "message") {
      const [part] = readItem(item);
      return part ? endPart(index, part) : [];
    }
    return asList(item.content).flatMap((part, content) =>
      endPart(`${index}.${content}`, readContentPart(asObject(part))),
    );
  }

  function end(response: JsonObject): NeutralEvent[] {
    if (open && response.status !== "incomplete") {
      throw invalidResponse("ended before its last item was complete");
    }
    const events: NeutralEvent[] = [...start(response)];
    if (open) events.push({ type: "part_end" });
    open = undefined;
    if (parts.length === 0) {
      const items = asList(response.output);
      events.push(...items.flatMap((item, index) => endItem(asObject(item), String(index))));
    }
    isEnded = true;
    const stop_reason = readStopReason(response, parts);
    const usage = readUsage(response.usage);
    return [...events, defined({ type: "end" as const, stop_reason, usage })];
  }

  function fail(error: unknown): NeutralEvent[] {
    isEnded = true;
    return [{ type: "error", error: readEventError(error) }];
  }

  return {
    read(_name, data) {
      if (isEnded || data === "[DONE]") return [];
      const event = parseEvent(data);
      const item = String(asCount(event.output_index) ?? 0);
      const content = `${item}.${asCount(event.content_index) ?? 0}`;
      const delta = asText(event.delta);
      switch (event.type) {
        case "response.created":
        case "response.in_progress":
          return start(asObject(event.response));
        case "response.output_item.added":
          return startItem(asObject(event.item), item);
        case "response.content_part.added": {
          const part = asObject(event.part);
          // Reasoning of open models: its item is the part.
          return part.type === "reasoning_text"
            ? []
            : startPart(content, withoutText(readContentPart(part)));
        }
        case "response.output_text.delta":
          return addText(content, delta, () => ({ type: "text", text: "" }));
        case "response.refusal.delta":
          return addText(content, delta, () => ({ type: "text", text: "", is_refusal: true }));
        case "response.content_part.done": {
          const part = asObject(event.part);
          return part.type === "reasoning_text" ? [] : endPart(content, readContentPart(part));
        }
        case "response.reasoning_summary_part.added":
          return open?.has_text ? addText(item, "\n\n", createThinking) : [];
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          return addText(item, delta, createThinking);
        case "response.function_call_arguments.delta":
          return addText(item, delta, () => {
            throw invalidResponse("has arguments of a function call that is not open");
          });
        case "response.output_item.done":
          return endItem(asObject(event.item), item);
        case "response.completed":
        case "response.incomplete":
          return end(asObject(event.response));
        case "response.failed":
          return fail(asObject(event.response).error);
        case "error":
          return fail(event.error ?? event);
        default:
          return [];
      }
    },
    end() {
      if (!isEnded) throw invalidResponse("ended early");
      return [];
    },
  };

  function startItem(item: JsonObject, location: string): NeutralEvent[] {
    switch (item.type) {
      case "message":
        return [];
      case "function_call":
        return startPart(location, withoutText(readToolCall(item)));
      case "reasoning":
        return startPart(location, createThinking());
      default:
        throw unknownContent(item.type);
    }
  }
}

const createThinking = (): OutputPart => ({ type: "thinking", text: "" });

/** Returns the part as it is announced. */
function withoutText(part: OutputPart): OutputPart {
  switch (part.type) {
    case "text":
      return { ...part, text: "" };
    case "thinking":
      return createThinking();
    case "tool_call":
      return { ...part, arguments: "" };
  }
}
