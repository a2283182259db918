/** Encodes many short texts into shared memory: a typed array of its own costs more than a short text. */

const SLAB_BYTES = 4096;
const ENCODER = new TextEncoder();

/** Returns a function that encodes text as UTF-8. */
export function createSlabEncoder(): (text: string) => Uint8Array<ArrayBuffer> {
  let slab = new Uint8Array(0);
  let used = 0;
  return (text) => {
    // UTF-8 has at most three bytes for a UTF-16 code unit.
    const maxBytes = text.length * 3;
    if (maxBytes > SLAB_BYTES) return ENCODER.encode(text);
    if (used + maxBytes > slab.length) {
      slab = new Uint8Array(SLAB_BYTES);
      used = 0;
    }
    const start = used;
    used += ENCODER.encodeInto(text, slab.subarray(start)).written;
    return slab.subarray(start, used);
  };
}
