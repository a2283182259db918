/** Copies the log of a worker to the log of its supervisor, in complete lines. */

const LINE_FEED = 10;

/** `write` resolves when its reader can take more, so that a slow reader slows the worker's log and fills no memory. */
export async function relayLines(
  from: ReadableStream<Uint8Array>,
  write: (lines: Uint8Array) => Promise<void>,
): Promise<void> {
  let partial = Buffer.alloc(0);
  for await (const chunk of from) {
    const text = Buffer.concat([partial, chunk]);
    const end = text.lastIndexOf(LINE_FEED) + 1;
    partial = text.subarray(end);
    if (end > 0) await write(text.subarray(0, end));
  }
  if (partial.length > 0) await write(partial);
}
