/** Maps the stop reasons of messages. */
import type { StopReason } from "../neutral.ts";

const STOP_REASONS: Record<StopReason, string> = {
  end: "end_turn",
  stop_sequence: "stop_sequence",
  max_tokens: "max_tokens",
  context_window: "model_context_window_exceeded",
  tool_calls: "tool_use",
  refusal: "refusal",
  content_filter: "refusal",
  pause: "pause_turn",
};

export const writeStopReason = (reason: StopReason): string => STOP_REASONS[reason];

/** An unknown reason is a normal end. */
export const readStopReason = (reason: unknown): StopReason => NEUTRAL.get(reason) ?? "end";

const NEUTRAL = new Map<unknown, StopReason>([
  ["stop_sequence", "stop_sequence"],
  ["max_tokens", "max_tokens"],
  ["model_context_window_exceeded", "context_window"],
  ["tool_use", "tool_calls"],
  ["refusal", "refusal"],
  ["pause_turn", "pause"],
]);
