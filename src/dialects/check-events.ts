/** Checks the order of a stream's events and the arguments of its tool calls, which most clients do not. */
import { invalidResponse } from "./invalid-response.ts";
import type { NeutralEvent, OutputPart, StopReason } from "./neutral.ts";
import { createArgumentCounter, parseArguments } from "./parse-arguments.ts";

/** Caps a response. Writers keep the parts of a stream, because the last events of some formats repeat them. */
export const MAX_RESPONSE_CHARACTERS = 8 * 1024 * 1024;
/** Caps the time of a response: each part takes several events in most formats, up to 20 microseconds. */
const MAX_PARTS = 10_000;

/** Throws `upstream_failed` if other requests would have to wait while a response with these parts is written. */
export function checkParts(parts: readonly OutputPart[]): void {
  const count = createPartCheck();
  for (const part of parts) count(part.type === "tool_call" ? part.arguments : "");
}

/** Returns a function that counts a part with the arguments of its tool call. */
function createPartCheck(): (args: string) => void {
  let parts = 0;
  const hasTooManyArguments = createArgumentCounter();
  return (args) => {
    parts += 1;
    if (parts > MAX_PARTS) throw invalidResponse("has too many parts");
    if (hasTooManyArguments(args)) {
      throw invalidResponse("has too many JSON values in the arguments of tool calls");
    }
  };
}

/** Returns a function that throws `upstream_failed` for an event that must not follow those before it. */
export function createEventCheck(): (event: NeutralEvent) => void {
  let isStarted = false;
  let isOver = false;
  let isOpen = false;
  /** Arguments of the open tool call so far. */
  let args: string | undefined;
  let hasInvalidArguments = false;
  let size = 0;
  const countPart = createPartCheck();

  return (event) => {
    if (isOver) throw invalidResponse("continues after its end");
    // As JSON, because writers escape the text again: a control character takes six characters.
    size += JSON.stringify("text" in event ? event.text : event).length;
    if (size > MAX_RESPONSE_CHARACTERS) throw invalidResponse("is too long to be translated");
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
        countPart(args ?? "");
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
