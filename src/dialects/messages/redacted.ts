/** Marks the signature of a `redacted_thinking` block, which has no text. */
export const REDACTED = "redacted:";
