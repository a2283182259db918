/** Reads the token usage from the first and last bytes of a response, in any dialect. */
import { skipSpace, skipValue } from "../../lib/json/skip-value.ts";
import { viewBytes } from "../../lib/view-bytes.ts";

export interface TokenUsage {
  input_tokens: number;
  output_tokens: number;
}

/** Every known dialect has `usage` in its last event or its last member, within this many bytes. */
export const USAGE_TAIL_BYTES = 16 * 1024;

/** Returns the last `usage`. Reads the first one if a stream reports input tokens only there, or was cut off. */
export function readUsage(tail: Uint8Array, head = tail): TokenUsage | null {
  const first = () => findUsage(head, "first");
  const last = findUsage(tail, "last") ?? first();
  if (!last) return null;
  const input =
    last.prompt_tokens ?? last.input_tokens ?? last.promptTokenCount ?? first()?.input_tokens;
  const output = last.completion_tokens ?? last.output_tokens ?? readGeminiOutput(last);
  // Audio usage may be in seconds instead.
  if (input === undefined && output === undefined) return null;
  return { input_tokens: toTokenCount(input), output_tokens: toTokenCount(output) };
}

/** Gemini counts thoughts separately, and omits counts of zero. */
function readGeminiOutput(usage: Record<string, unknown>): number | undefined {
  if (usage.promptTokenCount === undefined) return undefined;
  return toTokenCount(usage.candidatesTokenCount) + toTokenCount(usage.thoughtsTokenCount);
}

/** Start of `"usage"`, and of `"usageMetadata"` of Gemini. */
const NAME = Buffer.from('"usage');
const NAME_ENDS = ['"', 'Metadata"'];
/** Streams repeat `"usage":null` in all chunks except one. */
const MAX_SEARCH_STEPS = 64;

function findUsage(
  bytes: Uint8Array,
  which: "first" | "last",
): Record<string, unknown> | undefined {
  const text = viewBytes(bytes);
  let at = which === "first" ? text.indexOf(NAME) : text.lastIndexOf(NAME);
  for (let looks = 0; at >= 0 && looks < MAX_SEARCH_STEPS; looks++) {
    const nameEnd = at + NAME.length;
    const found = NAME_ENDS.find(
      (end) => text.toString("latin1", nameEnd, nameEnd + end.length) === end,
    );
    const colon = skipSpace(text, nameEnd + (found?.length ?? 0));
    const start = skipSpace(text, colon + 1);
    if (found && text[colon] === 0x3a && text[start] === 0x7b) {
      const end = skipValue(text, start);
      if (end > 0) return JSON.parse(text.toString("utf8", start, end));
    }
    if (which === "first") at = text.indexOf(NAME, at + 1);
    else at = at === 0 ? -1 : text.lastIndexOf(NAME, at - 1);
  }
  return undefined;
}

/** Maximum of the database column; an upstream may report any number. */
const MAX_TOKENS = 2 ** 31 - 1;

const toTokenCount = (value: unknown): number =>
  typeof value === "number" && value >= 0 && value <= MAX_TOKENS ? Math.floor(value) : 0;
