/** Returns bytes as text, one character for each. Creates no Buffer, which would cost more than short texts. */
export const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.prototype.toString.call(bytes, "latin1", start, end);
