/** Detects the line that completes an event stream, in the dialect of its endpoint. */
import type { Capability } from "../contract/registries.ts";

export interface StreamEndDetector {
  add: (chunk: Uint8Array) => void;
  /** Returns whether the upstream sent the terminator or an error event. */
  isComplete: () => boolean;
}

const DONE = /^(data: ?(\[DONE\]|\{\s*"error")|event: ?error)/;

/** Matches the start of the line that completes a stream. Other capabilities have no terminator. */
const TERMINATORS: Partial<Record<Capability, RegExp>> = {
  chat: DONE,
  completions: DONE,
  responses: buildTerminator("response\\.(completed|failed|incomplete)|error"),
  messages: buildTerminator("message_stop|error"),
};

function buildTerminator(types: string): RegExp {
  return new RegExp(`^(event: ?(${types})\\s*$|data: ?\\{\\s*"type":\\s*"(${types})")`);
}

/** Returns undefined if streams of this capability have no terminator. */
export function createStreamEndDetector(
  capability: Capability | undefined,
): StreamEndDetector | undefined {
  const terminator = capability && TERMINATORS[capability];
  if (!terminator) return undefined;
  let isComplete = false;
  /** Start of the current line. */
  let lineStart = "";
  return {
    add(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(LINE_FEED, start);
        const stop = end < 0 ? bytes.length : end;
        const missing = MAX_LINE_START_BYTES - lineStart.length;
        if (missing > 0) {
          lineStart += bytes.toString("latin1", start, Math.min(stop, start + missing));
        }
        if (end < 0) return;
        isComplete ||= terminator.test(lineStart);
        lineStart = "";
        start = end + 1;
      }
    },
    isComplete: () => isComplete || terminator.test(lineStart),
  };
}

const LINE_FEED = 0x0a;
const MAX_LINE_START_BYTES = 64;
