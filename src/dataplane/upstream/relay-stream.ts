/** Relays an upstream's stream to the client chunk by chunk; an incomplete stream ends with an error. */
import { AppError } from "../../contract/errors.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { toUpstreamError } from "../../net/to-upstream-error.ts";
import { roundToTenths } from "../request-progress.ts";
import type { ForwardedRequest } from "../stages.ts";
import { USAGE_TAIL_BYTES } from "./read-usage.ts";
import { createStreamEndDetector } from "./stream-end-detector.ts";
import { buildStreamErrorEvent } from "./stream-error-event.ts";
import type { StreamedBody } from "./upstream-reply.ts";

/** First and last bytes of a text response, from which usage and file ids are read. */
export interface BodyEnds {
  head?: Uint8Array;
  tail?: Uint8Array;
}

export interface RelayOptions {
  /** Converts a stream of events to another format; undefined relays the bytes unchanged. */
  format: EventFormat | undefined;
  onEnd: (ends: BodyEnds, error: AppError | undefined) => void;
}

export interface EventFormat {
  convert: (chunk: Uint8Array) => Uint8Array;
  /** Returns the end of the converted stream. */
  end: () => Uint8Array;
}

export function relayStream(
  forwarded: ForwardedRequest,
  body: StreamedBody,
  { format, onEnd }: RelayOptions,
): ReadableStream<Uint8Array> {
  const { progress, request, reply, capability } = forwarded;
  const buffer = TEXT.test(reply.headers.get("content-type") ?? "")
    ? createEndsBuffer()
    : undefined;
  let last: Uint8Array | undefined;
  const endDetector =
    reply.status < 300 && body.events ? createStreamEndDetector(capability) : undefined;
  // Chunks of events may be read again by a guard.
  const mayFree = body.exclusive && !body.events;
  const end = (error?: AppError) => onEnd(buffer?.ends() ?? {}, error);

  /** Returns a promise while the client does not accept more, so that back-pressure reaches the upstream. */
  const send = (controller: ReadableStreamDirectController, chunk: Uint8Array) => {
    const written = controller.write(format ? format.convert(chunk) : chunk);
    if (!(written instanceof Promise)) controller.flush();
    return written;
  };
  const finish = (controller: ReadableStreamDirectController) => {
    if (format) controller.write(format.end());
    controller.close();
  };

  // Direct: chunks are written to the socket without the queue of a stream. The types of the DOM do not know it.
  const source: object = {
    type: "direct",
    async pull(controller) {
      try {
        for (let chunk = body.first ?? (await body.read()); chunk; chunk = await body.read()) {
          progress.ttfb_ms ??= roundToTenths(elapsedMs() - progress.started_at);
          progress.response_bytes += chunk.length;
          buffer?.add(chunk);
          endDetector?.add(chunk);
          if (body.events) last = chunk;
          const written = send(controller, chunk);
          if (written instanceof Promise) await written;
          if (mayFree && chunk.length > MAX_HELD_BYTES) chunk.buffer.transfer(0);
        }
        if (endDetector?.isComplete() === false) throw new AppError("upstream_failed");
        finish(controller);
        end();
      } catch (thrown) {
        if (request.signal.aborted) return end(new AppError("client_closed"));
        const error = toUpstreamError(thrown);
        // The response is complete: a connection error after it does not matter to the client.
        if (endDetector?.isComplete()) {
          finish(controller);
          return end(error.code === "guard_blocked" ? error : undefined);
        }
        end(error);
        // Without events the connection is reset, so that the client detects the incomplete response.
        // Bun prints any other value than undefined.
        if (!body.events) throw undefined;
        send(controller, buildStreamErrorEvent(forwarded, error, last));
        finish(controller);
      }
    },
    cancel: () => end(new AppError("client_closed")),
  } satisfies Bun.DirectUnderlyingSource<Uint8Array>;
  return new ReadableStream(source);
}

const TEXT = /json|text\/event-stream/i;
const MAX_HELD_BYTES = 64 * 1024;
/** The first event may be split over several chunks, or follow comments. */
const MIN_HEAD_BYTES = 4 * 1024;

/** A slice of a Buffer would be a view. */
const copy = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** Holds the first and last chunks. The ends of a large chunk are copied, because its memory is freed when it is sent. */
function createEndsBuffer() {
  const head: Uint8Array[] = [];
  let size = 0;
  let tail: Uint8Array[] = [];
  let tailSize = 0;
  return {
    add(chunk: Uint8Array) {
      const isLarge = chunk.length > MAX_HELD_BYTES;
      if (size < MIN_HEAD_BYTES)
        head.push(isLarge ? copy(chunk.subarray(0, MAX_HELD_BYTES)) : chunk);
      size += chunk.length;
      if (isLarge) {
        tail = [copy(chunk.subarray(-USAGE_TAIL_BYTES))];
        tailSize = USAGE_TAIL_BYTES;
        return;
      }
      tail.push(chunk);
      tailSize += chunk.length;
      for (
        let oldest = tail[0];
        oldest && tailSize - oldest.length >= USAGE_TAIL_BYTES;
        oldest = tail[0]
      ) {
        tailSize -= oldest.length;
        tail.shift();
      }
    },
    ends(): BodyEnds {
      const last = Buffer.concat(tail);
      const isWhole = tailSize === size;
      return {
        head: isWhole ? last : Buffer.concat(head),
        tail: last.subarray(-USAGE_TAIL_BYTES),
      };
    },
  };
}
