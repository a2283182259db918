/** Checks the order of a stream's events and the arguments of its tool calls, which most clients do not. */
import { invalidResponse } from "./invalid-response.ts";
import type { NeutralEvent, StopReason } from "./neutral.ts";
import { parseArguments } from "./parse-arguments.ts";

/** Caps the memory of a stream: writers keep its parts, because the last events of some formats repeat them. */
export const MAX_STREAM_CHARACTERS = 64 * 1024 * 1024;

/** Returns a function that throws `upstream_failed` for an event that must not follow those before it. */
export function createEventCheck(): (event: NeutralEvent) => void {
  let isStarted = false;
  let isOver = false;
  let isOpen = false;
  /** Arguments of the open tool call so far. */
  let args: string | undefined;
  let hasInvalidArguments = false;
  let size = 0;

  return (event) => {
    if (isOver) throw invalidResponse("continues after its end");
    size += "text" in event ? event.text.length : JSON.stringify(event).length;
    if (size > MAX_STREAM_CHARACTERS) throw invalidResponse("is too long to be translated");
    switch (event.type) {
      case "start":
        if (isStarted) throw invalidResponse("starts twice");
        isStarted = true;
        return;
      case "part_start":
        if (!isStarted || isOpen) throw invalidResponse("has its parts out of order");
        isOpen = true;
        args = event.part.type === "tool_call" ? "" : undefined;
        return;
      case "delta":
      case "signature":
        if (!isOpen) throw invalidResponse("has text outside of a part");
        if (args !== undefined && event.type === "delta") args += event.text;
        return;
      case "part_end":
        if (!isOpen) throw invalidResponse("ends a part that is not open");
        isOpen = false;
        if (args !== undefined && !parseArguments(args)) hasInvalidArguments = true;
        args = undefined;
        return;
      case "end":
        isOver = true;
        if (!isStarted || isOpen) throw invalidResponse("ended early");
        // A response that reached a limit may end inside the arguments: its stop reason reports it.
        if (hasInvalidArguments && !isCutOff(event.stop_reason)) {
          throw invalidResponse("has a tool call whose arguments are not a JSON object");
        }
        return;
      case "error":
        isOver = true;
    }
  };
}

export const isCutOff = (reason: StopReason): boolean =>
  reason === "max_tokens" || reason === "context_window" || reason === "content_filter";
