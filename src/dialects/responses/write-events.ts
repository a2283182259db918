/** Writes a stream in the responses format: numbered events for each item and its content. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import type { ReplyContext, StreamWriter } from "../dialect.ts";
import type { NeutralError, NeutralEvent, OutputPart } from "../neutral.ts";
import { listClientTools } from "./read-tools.ts";
import {
  createItemId,
  repeatSettings,
  writeContent,
  writeItem,
  writeOutcome,
  writeProgress,
} from "./write-response.ts";

type EventOf<Type extends NeutralEvent["type"]> = Extract<NeutralEvent, { type: Type }>;

export function createResponsesStreamWriter(reply: ReplyContext): StreamWriter {
  const tools = listClientTools(reply.request);
  /** Written once: the settings are the largest part of three events. */
  const settings = JSON.stringify(repeatSettings(reply)).slice(1);
  const parts: OutputPart[] = [];
  const output: JsonObject[] = [];
  let sequence = 0;
  /** The last part, while it is open, and its location in the output. */
  let part: OutputPart | undefined;
  let at = { item_id: "", output_index: 0 };

  const format = (type: string, json: string): string =>
    `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence++},${json}\n\n`;
  const event = (type: string, members: JsonObject): string =>
    format(type, JSON.stringify(members).slice(1));
  const responseEvent = (type: string, members: JsonObject): string =>
    format(type, `"response":${JSON.stringify(members).slice(0, -1)},${settings}}`);

  function startPart(started: OutputPart): string {
    part = { ...started };
    at = { item_id: createItemId(part, reply, output.length), output_index: output.length };
    const added = event("response.output_item.added", {
      output_index: at.output_index,
      item: emptyItem(writeItem(part, at.item_id, tools)),
    });
    if (part.type !== "text") return added;
    const content = { ...at, content_index: 0, part: writeContent(part) };
    return added + event("response.content_part.added", content);
  }

  function writeDelta(open: OutputPart, delta: string): string {
    switch (open.type) {
      case "text":
        open.text += delta;
        return open.is_refusal
          ? event("response.refusal.delta", { ...at, content_index: 0, delta })
          : event("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] });
      case "thinking": {
        const members = { ...at, summary_index: 0 };
        const added =
          open.text === ""
            ? event("response.reasoning_summary_part.added", {
                ...members,
                part: { type: "summary_text", text: "" },
              })
            : "";
        open.text += delta;
        return added + event("response.reasoning_summary_text.delta", { ...members, delta });
      }
      case "tool_call":
        open.arguments += delta;
        // Other calls have no text of arguments: they are written when the arguments are complete.
        if ((tools.get(open.name)?.type ?? "function") !== "function") return "";
        return event("response.function_call_arguments.delta", { ...at, delta });
    }
  }

  function endPart(ended: OutputPart): string {
    // A call without arguments: clients parse the text as JSON.
    const missing = ended.type === "tool_call" && !ended.arguments ? writeDelta(ended, "{}") : "";
    const item = writeItem(ended, at.item_id, tools);
    parts.push(ended);
    output.push(item);
    part = undefined;
    return (
      missing +
      endContent(ended, item) +
      event("response.output_item.done", { output_index: at.output_index, item })
    );
  }

  function endContent(ended: OutputPart, item: JsonObject): string {
    switch (ended.type) {
      case "text": {
        const { text, is_refusal } = ended;
        const members = { ...at, content_index: 0 };
        const done = is_refusal
          ? event("response.refusal.done", { ...members, refusal: text })
          : event("response.output_text.done", { ...members, text, logprobs: [] });
        const content = { ...members, part: writeContent(ended) };
        return done + event("response.content_part.done", content);
      }
      case "thinking": {
        const { text } = ended;
        if (text === "") return "";
        const members = { ...at, summary_index: 0 };
        const summary = { ...members, part: { type: "summary_text", text } };
        return (
          event("response.reasoning_summary_text.done", { ...members, text }) +
          event("response.reasoning_summary_part.done", summary)
        );
      }
      case "tool_call": {
        const { input, name } = item;
        if (item.type === "function_call") {
          const members = { ...at, name, arguments: ended.arguments };
          return event("response.function_call_arguments.done", members);
        }
        if (item.type === "tool_search_call") return "";
        return (
          event("response.custom_tool_call_input.delta", { ...at, delta: input }) +
          event("response.custom_tool_call_input.done", { ...at, input })
        );
      }
    }
  }

  function end({ stop_reason, usage }: EventOf<"end">): string {
    const outcome = writeOutcome(reply, output, {
      stop_reason,
      parts,
      ...(usage && { usage }),
    });
    return responseEvent(`response.${outcome.status}`, outcome);
  }

  function fail({ code, message }: NeutralError): string {
    const error = { code: code ?? "server_error", message };
    return responseEvent("response.failed", { ...writeProgress(reply, "failed"), output, error });
  }

  return {
    write(next) {
      switch (next.type) {
        case "start": {
          const progress = writeProgress(reply, "in_progress");
          return (
            responseEvent("response.created", progress) +
            responseEvent("response.in_progress", progress)
          );
        }
        case "part_start":
          return startPart(next.part);
        case "delta":
          return part ? writeDelta(part, next.text) : "";
        case "signature":
          if (part && part.type !== "text") part.signature = next.signature;
          return "";
        case "part_end":
          return part ? endPart(part) : "";
        case "end":
          return end(next);
        case "error":
          return fail(next.error);
      }
    },
  };
}

/** Returns the item without its content, as it is announced. */
function emptyItem(item: JsonObject): JsonObject {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
    case "tool_search_call":
      return { ...item, status: "in_progress" };
    default:
      return item;
  }
}
