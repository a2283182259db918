/** Detects the line that completes an event stream, in the dialect of its endpoint. */
import type { Capability } from "../../contract/gateway/registries.ts";
import { latin1 } from "../../lib/text/latin1.ts";
import { viewBytes } from "../../lib/view-bytes.ts";

export interface StreamEndDetector {
  add: (chunk: Uint8Array) => void;
  /** Returns whether the upstream sent the terminator or an error event. */
  isComplete: () => boolean;
}

const DONE = matchLineStart('data: ?(?:\\[DONE\\]|\\{[ \\t]{0,40}"error")|event: ?error');
const RESPONSE = matchType("response\\.(?:completed|failed|incomplete)|error");

/** Matches the start of the line that completes a stream. Other capabilities have no terminator. */
const TERMINATORS: Partial<Record<Capability, RegExp>> = {
  chat: DONE,
  completions: DONE,
  responses: RESPONSE,
  stored_responses: RESPONSE,
  messages: matchType("message_stop|error"),
};

function matchType(types: string): RegExp {
  const data = `data: ?\\{[ \\t]{0,40}"type":[ \\t]{0,40}"(?:${types})"`;
  return matchLineStart(`event: ?(?:${types})[ \\t]{0,40}[\\r\\n]|${data}`);
}

/** One pattern for all lines of a chunk: a test of each line would take 150 ns, and a line may have one byte. */
function matchLineStart(pattern: string): RegExp {
  return new RegExp(`(?:^|[\\r\\n])(?:${pattern})`);
}

/** Returns undefined if streams of this capability have no terminator. */
export function createStreamEndDetector(capability: Capability): StreamEndDetector | undefined {
  if (capability === "generate_content") return createMemberDetector();
  const terminator = TERMINATORS[capability];
  if (!terminator) return undefined;
  let isComplete = false;
  /** Start of the current line. */
  let lineStart = "";
  return {
    add(chunk) {
      if (isComplete) return;
      const text = lineStart + latin1(chunk, 0, chunk.length);
      isComplete = terminator.test(text);
      const line = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      lineStart = text.length - line > MAX_LINE_START ? NO_TERMINATOR : text.slice(line);
    },
    isComplete: () => isComplete || terminator.test(`${lineStart}\n`),
  };
}

const MAX_LINE_START = 256;
/** In place of a line that is too long to be a terminator. */
const NO_TERMINATOR = "-";

/** Members of the last chunk of a Gemini stream, which has no terminator. Quotes inside of texts are escaped. */
const LAST_MEMBERS = ['"finishReason"', '"blockReason"', '"error"'].map((name) =>
  Buffer.from(name),
);
const MAX_SPLIT_BYTES = Math.max(...LAST_MEMBERS.map(({ length }) => length)) - 1;

function createMemberDetector(): StreamEndDetector {
  let isComplete = false;
  /** End of the chunk before: a name may be split. */
  let carry = Buffer.alloc(0);
  return {
    add(chunk) {
      if (isComplete) return;
      const bytes = viewBytes(chunk);
      const joint = Buffer.concat([carry, bytes.subarray(0, MAX_SPLIT_BYTES)]);
      isComplete = LAST_MEMBERS.some((name) => bytes.includes(name) || joint.includes(name));
      const isShort = bytes.length < MAX_SPLIT_BYTES;
      carry = Buffer.from((isShort ? joint : bytes).subarray(-MAX_SPLIT_BYTES));
    },
    isComplete: () => isComplete,
  };
}
