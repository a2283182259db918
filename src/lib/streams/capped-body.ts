/** Reads bodies of unknown length with a size cap. */

type Bytes = Uint8Array<ArrayBuffer>;

/** Called with the size of each chunk; throws to stop the reading. */
export type OnBytes = (count: number) => void;

/** Returns a counter that throws `tooLarge()` once the total exceeds `maxBytes`. */
export function createSizeCap(maxBytes: number, tooLarge: () => Error): OnBytes {
  let total = 0;
  return (count) => {
    total += count;
    if (total > maxBytes) throw tooLarge();
  };
}

/** Concatenates the chunks that `next` returns until it returns undefined. */
export async function readAllChunks(
  next: () => Promise<Bytes | undefined>,
  onBytes?: OnBytes,
): Promise<Bytes> {
  const chunks: Bytes[] = [];
  for (let chunk = await next(); chunk; chunk = await next()) {
    onBytes?.(chunk.length);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
