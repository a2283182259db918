/** How far is a streamed request body, and whose fault is it when sending it fails? */
import { AppError } from "../contract/errors.ts";

export interface Upload {
  /** Reads the source only when the connection asks for more, never ahead. */
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The sender's part in a failed call; undefined when it had none. */
  fault(thrown: unknown): AppError | undefined;
}

export function watchUpload(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  onSent: () => void,
): Upload {
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  let waiting = false;
  let broken: { cause: unknown } | undefined;

  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        reader ??= source.getReader();
        waiting = true;
        const { done, value } = await reader.read().catch((cause: unknown) => {
          broken = { cause };
          throw cause;
        });
        waiting = false;
        if (done) {
          controller.close();
          onSent();
        } else {
          controller.enqueue(value);
        }
      },
      // A source that was never read is left alone: the caller may send it somewhere else.
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );

  return {
    stream,
    fault(thrown) {
      if (broken?.cause instanceof AppError) return broken.cause;
      if (broken) return new AppError("invalid_request", "The request body broke off.", broken);
      const timedOut = thrown instanceof Error && thrown.name === "TimeoutError";
      return waiting && timedOut
        ? new AppError("request_timeout", undefined, { cause: thrown })
        : undefined;
    },
  };
}
