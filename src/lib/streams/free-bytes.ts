/** Gives memory back that nobody reads any more. Left to the collector, an upload piles up 50 MiB of spent chunks. */
export function freeBytes({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  // Part of a larger buffer, that others may still read, is left alone.
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
