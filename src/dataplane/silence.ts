/** Reads an upstream's stream, and gives it up when it falls silent. One timer a stream, not one a chunk. */
import { AppError } from "../contract/errors.ts";
import { elapsedMs } from "../lib/clock.ts";

export interface Reading {
  /** The next chunk; undefined at the end. Throws when nothing came for too long. */
  read: () => Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Ends the upstream call where it still runs. */
  cancel: () => void;
}

export function readUnlessSilent(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  idleMs: number,
): Reading {
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> = stream.getReader();
  let waitingSince: number | undefined;
  let silent = false;
  let timer: Timer | undefined;

  const check = () => {
    // While the client takes its time, nobody waits for the upstream.
    const waited = waitingSince === undefined ? 0 : elapsedMs() - waitingSince;
    silent = waited >= idleMs;
    if (silent) drop();
    else timer = setTimeout(check, idleMs - waited);
  };
  const drop = () => {
    // A reader that failed says so again here; that was told where it happened.
    reader.cancel().catch(() => {});
  };
  return {
    async read() {
      timer ??= setTimeout(check, idleMs);
      waitingSince = elapsedMs();
      const { done, value } = await reader.read().catch((thrown: unknown) => {
        clearTimeout(timer);
        throw thrown;
      });
      waitingSince = undefined;
      // A cancelled reader reports an end, which this is not.
      if (silent) throw new AppError("upstream_timeout", "The upstream fell silent.");
      return done ? undefined : value;
    },
    cancel() {
      clearTimeout(timer);
      drop();
    },
  };
}
