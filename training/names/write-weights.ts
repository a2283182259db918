/** Writes a weight file, which src/policy/learned/read-weights.ts reads. */
import { writeFileSync } from "node:fs";

const MAGIC = "PCWT";
const ALIGNMENT = 8;
const TYPES = { int8: Int8Array, int32: Int32Array, float32: Float32Array };

export function writeWeights(
  path: string,
  members: Record<string, number | string | readonly string[]>,
  arrays: Record<string, Int8Array | Int32Array | Float32Array>,
): void {
  const header = {
    version: 1,
    ...members,
    arrays: Object.entries(arrays).map(([name, values]) => ({
      name,
      type: Object.entries(TYPES).find(([, Type]) => values instanceof Type)?.[0],
      shape: [values.length],
    })),
    vocabulary_bytes: 0,
  };
  const json = JSON.stringify(header);
  const padded = json.padEnd(json.length + pad(json.length), " ");
  const length = Buffer.alloc(4);
  length.writeUInt32LE(padded.length);
  const parts: Uint8Array[] = [Buffer.from(MAGIC), length, Buffer.from(padded)];
  for (const values of Object.values(arrays)) {
    parts.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    parts.push(new Uint8Array(pad(values.byteLength)));
  }
  writeFileSync(path, Buffer.concat(parts));
}

const pad = (length: number) => -length & (ALIGNMENT - 1);
