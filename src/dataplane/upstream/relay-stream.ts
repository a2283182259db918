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

export type OnStreamEnd = (ends: BodyEnds, error: AppError | undefined) => void;

export function relayStream(
  forwarded: ForwardedRequest,
  body: StreamedBody,
  onEnd: OnStreamEnd,
): ReadableStream<Uint8Array> {
  const { progress, request, reply, endpoint } = forwarded;
  const buffer = TEXT.test(reply.headers.get("content-type") ?? "")
    ? createEndsBuffer()
    : undefined;
  let peeked = body.first;
  let last: Uint8Array | undefined;
  const endDetector =
    reply.status < 300 && body.events ? createStreamEndDetector(endpoint.capability) : undefined;
  const end = (error?: AppError) => onEnd(buffer?.ends() ?? {}, error);

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = peeked ?? (await body.read());
          peeked = undefined;
          if (!chunk) {
            if (endDetector?.isComplete() === false) throw new AppError("upstream_failed");
            controller.close();
            end();
            return;
          }
          progress.ttfb_ms ??= roundToTenths(elapsedMs() - progress.started_at);
          progress.response_bytes += chunk.length;
          buffer?.add(chunk);
          endDetector?.add(chunk);
          last = chunk;
          controller.enqueue(chunk);
        } catch (thrown) {
          if (request.signal.aborted) return end(new AppError("client_closed"));
          const error = toUpstreamError(thrown);
          // The response is complete: a connection error after it does not matter to the client.
          if (endDetector?.isComplete()) {
            controller.close();
            return end(error.code === "guard_blocked" ? error : undefined);
          }
          end(error);
          // Without events the connection is reset, so that the client detects the incomplete response.
          if (!body.events) return controller.error(error);
          controller.enqueue(buildStreamErrorEvent(forwarded, error, last));
          controller.close();
        }
      },
      cancel: () => end(new AppError("client_closed")),
    },
    // No read-ahead: back-pressure of the client reaches the upstream.
    { highWaterMark: 0 },
  );
}

const TEXT = /json|text\/event-stream/i;
const MAX_HEAD_CHUNK_BYTES = 64 * 1024;
/** The first event may be split over several chunks, or follow comments. */
const MIN_HEAD_BYTES = 4 * 1024;

/** Holds references to the first and last chunks, without copying. */
function createEndsBuffer() {
  const head: Uint8Array[] = [];
  let headSize = 0;
  const tail: Uint8Array[] = [];
  let tailSize = 0;
  return {
    add(chunk: Uint8Array) {
      if (headSize < MIN_HEAD_BYTES) head.push(chunk.subarray(0, MAX_HEAD_CHUNK_BYTES));
      headSize += chunk.length;
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
    ends: (): BodyEnds => ({
      head: Buffer.concat(head),
      tail: Buffer.concat(tail.map((chunk) => chunk.subarray(-USAGE_TAIL_BYTES))).subarray(
        -USAGE_TAIL_BYTES,
      ),
    }),
  };
}
