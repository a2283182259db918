/** Maps the finish reasons of chat completions. */
import type { StopReason } from "../neutral.ts";

/** An unknown reason is a normal end. Some servers report `stop` for tool calls. */
export function readFinishReason(
  reason: unknown,
  said: { calls: boolean; refusal: boolean },
): StopReason {
  if (reason === "length") return "max_tokens";
  if (reason === "content_filter") return "content_filter";
  if (said.calls) return "tool_calls";
  return said.refusal ? "refusal" : "end";
}

const FINISH_REASONS: Record<StopReason, string> = {
  end: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  context_window: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  refusal: "content_filter",
  pause: "stop",
};

/** A refusal whose text is in `refusal` is a normal end. */
export const writeFinishReason = (reason: StopReason, hasRefusal: boolean): string =>
  reason === "refusal" && hasRefusal ? "stop" : FINISH_REASONS[reason];
