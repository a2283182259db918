/** Detects the line that completes an event stream, in the dialect of its endpoint. */
import type { Capability } from "../../contract/gateway/registries.ts";
import { latin1 } from "../../lib/text/latin1.ts";
import { viewBytes } from "../../lib/view-bytes.ts";

export interface StreamEndDetector {
  add: (chunk: Uint8Array) => void;
  /** Returns whether the upstream sent the terminator or an error event. */
  isComplete: () => boolean;
}

const DONE = /^(data: ?(\[DONE\]|\{\s*"error")|event: ?error)/;

const RESPONSE = buildTerminator("response\\.(completed|failed|incomplete)|error");

/** Matches the start of the line that completes a stream. Other capabilities have no terminator. */
const TERMINATORS: Partial<Record<Capability, RegExp>> = {
  chat: DONE,
  completions: DONE,
  responses: RESPONSE,
  stored_responses: RESPONSE,
  messages: buildTerminator("message_stop|error"),
};

function buildTerminator(types: string): RegExp {
  return new RegExp(`^(event: ?(${types})\\s*$|data: ?\\{\\s*"type":\\s*"(${types})")`);
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
      const next = (byte: number, from: number) => {
        const at = chunk.indexOf(byte, from);
        return at < 0 ? chunk.length : at;
      };
      let lineFeed = next(LINE_FEED, 0);
      let carriageReturn = next(CARRIAGE_RETURN, 0);
      for (let start = 0; start < chunk.length; ) {
        const end = Math.min(lineFeed, carriageReturn);
        const missing = MAX_LINE_START_BYTES - lineStart.length;
        if (missing > 0 && end > start) {
          lineStart += latin1(chunk, start, Math.min(end, start + missing));
        }
        if (end === chunk.length) return;
        isComplete ||= lineStart !== "" && terminator.test(lineStart);
        lineStart = "";
        start = end + 1;
        if (end === lineFeed) lineFeed = next(LINE_FEED, start);
        else carriageReturn = next(CARRIAGE_RETURN, start);
      }
    },
    isComplete: () => isComplete || terminator.test(lineStart),
  };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const MAX_LINE_START_BYTES = 64;

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
