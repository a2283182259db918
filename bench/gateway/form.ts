/** Forms of any size that are never held as a whole: the file's bytes are one block, again and again. */
export const MIB = 1024 * 1024;

export type Part = { name: string; value: string } | { size: number };

export interface Form {
  type: string;
  length: number;
  parts: Iterable<Uint8Array>;
}

const BOUNDARY = "----portcullis-benchmark";
const BLOCK = Buffer.alloc(256 * 1024, "sound ");

/** Size of the file part. */
export function form(given: readonly Part[]): Form {
  const parts = given.map((part) => {
    const file = "size" in part;
    const named = file
      ? 'name="file"; filename="speech.wav"\r\nContent-Type: audio/wav'
      : `name="${part.name}"`;
    const head = Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${named}\r\n\r\n`);
    return file ? { head, size: part.size } : { head, text: Buffer.from(part.value) };
  });
  const lineEnd = Buffer.from("\r\n");
  const last = Buffer.from(`--${BOUNDARY}--\r\n`);
  const sizes = parts.map(({ head, size, text }) => head.length + (size ?? text.length) + 2);
  return {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    length: sizes.reduce((all, size) => all + size, last.length),
    parts: (function* () {
      for (const { head, size = 0, text } of parts) {
        yield head;
        if (text) yield text;
        for (let left = size; left > 0; left -= BLOCK.length) yield BLOCK.subarray(0, left);
        yield lineEnd;
      }
      yield last;
    })(),
  };
}
