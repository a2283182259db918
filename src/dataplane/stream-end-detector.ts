/** Watches an event stream for the line that completes it, in the dialect of its endpoint. */
import type { Capability } from "../contract/registries.ts";

export interface StreamEndDetector {
  add: (chunk: Uint8Array) => void;
  /** Whether the stream was completed: by its terminator, or by an error that the upstream sent. */
  isComplete: () => boolean;
}

/** How a line that completes a stream begins. Other capabilities have no terminator. */
const TERMINATORS: Partial<Record<Capability, RegExp>> = {
  chat: /^(data: ?(\[DONE\]|\{\s*"error")|event: ?error)/,
  responses: buildTerminator("response\\.(completed|failed|incomplete)|error"),
  messages: buildTerminator("message_stop|error"),
};

function buildTerminator(types: string): RegExp {
  return new RegExp(`^(event: ?(${types})\\s*$|data: ?\\{\\s*"type":\\s*"(${types})")`);
}

/** Undefined: streams of this capability have no terminator. */
export function createStreamEndDetector(
  capability: Capability | undefined,
): StreamEndDetector | undefined {
  const terminator = capability && TERMINATORS[capability];
  if (!terminator) return undefined;
  let complete = false;
  /** The beginning of the line that has not ended. */
  let begun = "";
  return {
    add(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(LINE_FEED, start);
        const stop = end < 0 ? bytes.length : end;
        const wanted = MAX_LINE_START_BYTES - begun.length;
        if (wanted > 0) begun += bytes.toString("latin1", start, Math.min(stop, start + wanted));
        if (end < 0) return;
        complete ||= terminator.test(begun);
        begun = "";
        start = end + 1;
      }
    },
    isComplete: () => complete || terminator.test(begun),
  };
}

const LINE_FEED = 0x0a;
const MAX_LINE_START_BYTES = 64;
