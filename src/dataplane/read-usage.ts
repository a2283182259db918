/** How many tokens did an answer use? Read from its ends, in the words of any of the dialects. */
import { skipSpace, skipValue } from "../lib/json/skip-value.ts";

export interface TokenUsage {
  input_tokens: number;
  output_tokens: number;
}

/** Enough for the end of every known dialect: usage stands in the last event or the last member. */
export const USAGE_TAIL_BYTES = 16 * 1024;

/** The `usage` that stands last; a stream may tell its input tokens in its first event only, or end before the last. */
export function readUsage(tail: Uint8Array, head = tail): TokenUsage | null {
  const first = () => findUsage(head, "first");
  const last = findUsage(tail, "last") ?? first();
  if (!last) return null;
  const input = last.prompt_tokens ?? last.input_tokens ?? first()?.input_tokens;
  const output = last.completion_tokens ?? last.output_tokens;
  // Of audio the seconds may be counted instead.
  if (input === undefined && output === undefined) return null;
  return { input_tokens: toTokenCount(input), output_tokens: toTokenCount(output) };
}

const NAME = Buffer.from('"usage"');
/** Streams repeat `"usage":null` in every chunk but one. */
const MAX_SEARCH_STEPS = 64;

function findUsage(
  bytes: Uint8Array,
  which: "first" | "last",
): Record<string, unknown> | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = which === "first" ? text.indexOf(NAME) : text.lastIndexOf(NAME);
  for (let looks = 0; at >= 0 && looks < MAX_SEARCH_STEPS; looks++) {
    const colon = skipSpace(text, at + NAME.length);
    const start = skipSpace(text, colon + 1);
    if (text[colon] === 0x3a && text[start] === 0x7b) {
      const end = skipValue(text, start);
      if (end > 0) return JSON.parse(text.toString("utf8", start, end));
    }
    if (which === "first") at = text.indexOf(NAME, at + 1);
    else at = at === 0 ? -1 : text.lastIndexOf(NAME, at - 1);
  }
  return undefined;
}

/** What the database counts to: an upstream may claim anything. */
const MAX_TOKENS = 2 ** 31 - 1;

const toTokenCount = (value: unknown): number =>
  typeof value === "number" && value >= 0 && value <= MAX_TOKENS ? Math.floor(value) : 0;
