/** Statuses of verdicts, actions of findings and origins of text. The console imports this file without the schemas. */

/** From the most to the least restrictive. */
export const STATUSES = ["block", "ask", "transform", "report", "allow"] as const;
export type Status = (typeof STATUSES)[number];

/** Actions of findings. The status of `withhold` is `transform`. */
export const ACTIONS = ["block", "ask", "transform", "withhold", "report"] as const;
export type Action = (typeof ACTIONS)[number];

/** Origins of text, by which a rule selects what it reads. */
export const ORIGINS = [
  "user",
  "system",
  "assistant",
  "assistant_text",
  "tool_definition",
  "tool_result",
  "document",
] as const;
export type TextOrigin = (typeof ORIGINS)[number];
