/** Replaces byte ranges of a stream without buffering it. */

export interface StreamEdit {
  from: number;
  to: number;
  put: Uint8Array<ArrayBuffer>;
}

/** `edits` are in order and do not overlap. */
export function spliceStream(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  edits: readonly StreamEdit[],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const left = [...edits];
  let at = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const start = at;
        const end = start + value.length;
        const pieces: Uint8Array[] = [];
        for (let next = left[0]; next && next.from < end; next = left[0]) {
          if (at < next.from) pieces.push(value.subarray(at - start, next.from - start));
          if (at <= next.from) pieces.push(next.put);
          at = Math.min(next.to, end);
          if (next.to > end) break;
          left.shift();
        }
        pieces.push(value.subarray(at - start));
        at = end;
        controller.enqueue(Buffer.concat(pieces));
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

export const splicedLength = (length: number, edits: readonly StreamEdit[]): number =>
  edits.reduce((sum, { from, to, put }) => sum + put.length - (to - from), length);
