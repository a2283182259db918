/** Passes an upstream's stream on as it comes: no chunk waits, and an incomplete stream ends with an error. */
import { AppError } from "../contract/errors.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { toUpstreamError } from "../net/to-upstream-error.ts";
import { USAGE_TAIL_BYTES } from "./read-usage.ts";
import { roundToTenths } from "./request-progress.ts";
import type { ForwardedRequest } from "./stages.ts";
import { createStreamEndDetector } from "./stream-end-detector.ts";
import { buildStreamErrorEvent } from "./stream-error-event.ts";
import type { StreamedBody } from "./upstream-reply.ts";

/** The first and the last bytes of a text answer, for what can be learned from them. */
export interface BodyEnds {
  head?: Uint8Array;
  tail?: Uint8Array;
}

export type OnStreamEnd = (copy: BodyEnds, error: AppError | undefined) => void;

export function relayStream(
  forwarded: ForwardedRequest,
  body: StreamedBody,
  onEnd: OnStreamEnd,
): ReadableStream<Uint8Array> {
  const { progress, request, reply, endpoint } = forwarded;
  const copy = TEXT.test(reply.headers.get("content-type") ?? "") ? createEndsBuffer() : undefined;
  let peeked = body.first;
  let last: Uint8Array | undefined;
  const complete =
    reply.status < 300 && body.events ? createStreamEndDetector(endpoint.capability) : undefined;
  const end = (error?: AppError) => onEnd(copy?.ends() ?? {}, error);

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = peeked ?? (await body.read());
          peeked = undefined;
          if (!chunk) {
            if (complete?.isComplete() === false) throw new AppError("upstream_failed");
            controller.close();
            end();
            return;
          }
          progress.ttfb_ms ??= roundToTenths(elapsedMs() - progress.started_at);
          progress.response_bytes += chunk.length;
          copy?.add(chunk);
          complete?.add(chunk);
          last = chunk;
          controller.enqueue(chunk);
        } catch (thrown) {
          if (request.signal.aborted) return end(new AppError("client_closed"));
          // The client has the whole answer: that the connection broke afterwards is not its concern.
          if (complete?.isComplete()) {
            controller.close();
            return end();
          }
          const error = toUpstreamError(thrown);
          end(error);
          // Without events the connection is cut: the client must not take what it has for the whole.
          if (!body.events) return controller.error(error);
          controller.enqueue(buildStreamErrorEvent(forwarded, error, last));
          controller.close();
        }
      },
      cancel: () => end(new AppError("client_closed")),
    },
    // Nothing is read ahead: the client's pace is the upstream's pace.
    { highWaterMark: 0 },
  );
}

const TEXT = /json|text\/event-stream/i;
const MAX_HEAD_CHUNK_BYTES = 64 * 1024;
/** The first event may come in pieces, and behind comments. */
const MIN_HEAD_BYTES = 4 * 1024;

/** References to chunks, no copies: only the first and the last few stay alive. */
function createEndsBuffer() {
  const head: Uint8Array[] = [];
  let headSize = 0;
  const kept: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk: Uint8Array) {
      if (headSize < MIN_HEAD_BYTES) head.push(chunk.subarray(0, MAX_HEAD_CHUNK_BYTES));
      headSize += chunk.length;
      kept.push(chunk);
      size += chunk.length;
      for (
        let oldest = kept[0];
        oldest && size - oldest.length >= USAGE_TAIL_BYTES;
        oldest = kept[0]
      ) {
        size -= oldest.length;
        kept.shift();
      }
    },
    ends: (): BodyEnds => ({
      head: Buffer.concat(head),
      tail: Buffer.concat(kept.map((chunk) => chunk.subarray(-USAGE_TAIL_BYTES))).subarray(
        -USAGE_TAIL_BYTES,
      ),
    }),
  };
}
