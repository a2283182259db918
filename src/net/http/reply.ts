/** A response of an upstream, possibly still being received. */
import { AppError } from "../../contract/errors.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { createCoarseTimer } from "../../lib/time/coarse-timer.ts";
import type { ReplyHeaders } from "./read-header-block.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

export interface Reply {
  status: number;
  headers: ReplyHeaders;
  /** The complete body, if it is short or arrived with the header block. */
  whole: Bytes | undefined;
  /** Returns the next chunk of the body; undefined at the end. Rejects if the body is truncated or times out. */
  read: () => Promise<Bytes | undefined>;
  /** No other view of the memory of a chunk exists, so that its reader may free it. */
  exclusive: boolean;
  /** Cancels the call if it is still running; idempotent. */
  cancel: () => void;
}

export type ReplyStart = Pick<Reply, "status" | "headers">;

export function createWholeReply({ status, headers }: ReplyStart, whole: Bytes): Reply {
  let rest: Bytes | undefined = whole.length > 0 ? whole : undefined;
  const read = async () => {
    const chunk = rest;
    rest = undefined;
    return chunk;
  };
  return { status, headers, whole, read, exclusive: false, cancel: () => {} };
}

/** The connection of a response that is still being received. */
export interface ReplySource extends Pick<Reply, "exclusive"> {
  pause: () => void;
  resume: () => void;
  /** Ends the call; its reader gets the error. */
  stop: (error: AppError) => void;
}

export interface StreamedReply {
  reply: Reply;
  push: (chunk: Bytes) => void;
  /** Ends the body: complete, or truncated with `error`. */
  end: (error?: AppError) => void;
}

/** Read-ahead limit; beyond it, back-pressure stops the upstream. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/** Checks of the responses that are being streamed. */
const idleChecks = new Set<(now: number) => void>();

const startIdleTimer = createCoarseTimer((now) => {
  for (const check of idleChecks) check(now);
  return idleChecks.size > 0;
});

/** `idleMs`: how long a reader waits for the next chunk. */
export function createStreamedReply(
  { status, headers }: ReplyStart,
  source: ReplySource,
  idleMs: number,
): StreamedReply {
  const chunks: Bytes[] = [];
  let ahead = 0;
  let paused = false;
  let over: { error: AppError | undefined } | undefined;
  let waiting: PromiseWithResolvers<Bytes | undefined> | undefined;
  let waitingSince = 0;

  /** A slow client does not count: `waiting` is set only while the upstream must send. */
  const checkIdle = (now: number) => {
    if (waiting && now - waitingSince >= idleMs) {
      source.stop(new AppError("upstream_timeout", "The upstream stopped sending."));
    }
  };

  function end(error?: AppError): void {
    if (over) return;
    over = { error };
    idleChecks.delete(checkIdle);
    if (paused) source.resume();
    paused = false;
    if (error) waiting?.reject(error);
    else waiting?.resolve(undefined);
    waiting = undefined;
  }

  function push(chunk: Bytes): void {
    if (waiting) {
      waiting.resolve(chunk);
      waiting = undefined;
      return;
    }
    chunks.push(chunk);
    ahead += chunk.length;
    if (ahead > MAX_BUFFERED_BYTES && !paused) {
      paused = true;
      source.pause();
    }
  }

  // Not async, which would add a promise for each chunk.
  function read(): Promise<Bytes | undefined> {
    const chunk = chunks.shift();
    if (chunk) {
      ahead -= chunk.length;
      if (paused && ahead <= MAX_BUFFERED_BYTES) {
        paused = false;
        source.resume();
      }
      return Promise.resolve(chunk);
    }
    if (over?.error) return Promise.reject(over.error);
    if (over) return Promise.resolve(undefined);
    idleChecks.add(checkIdle);
    startIdleTimer();
    waiting = Promise.withResolvers();
    waitingSince = elapsedMs();
    return waiting.promise;
  }

  const cancel = () => {
    chunks.length = 0;
    if (over) return;
    source.stop(new AppError("invalid_request", "The response was not read to its end."));
  };
  const { exclusive } = source;
  return { reply: { status, headers, whole: undefined, read, exclusive, cancel }, push, end };
}
