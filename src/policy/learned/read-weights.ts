/** Reads a weight file that `training/` wrote: a JSON header, arrays, and the vocabulary. */
import { viewBytes } from "../../lib/view-bytes.ts";

export type WeightArray = Int8Array | Int32Array | Float32Array;

export interface Weights<Header> {
  header: Header;
  vocabulary: string[];
  /** Return the array of a name. Throw if the file has none of this name and type. */
  bytes: (name: string) => Int8Array;
  integers: (name: string) => Int32Array;
  floats: (name: string) => Float32Array;
}

interface StoredHeader {
  version: number;
  arrays: { name: string; type: keyof typeof ARRAY_TYPES; shape: number[] }[];
  vocabulary_bytes: number;
}

const ARRAY_TYPES = { int8: Int8Array, int32: Int32Array, float32: Float32Array };
const MAGIC = "PCWT";
const VERSION = 1;

/** Throws if the bytes are not a weight file of this version. */
export function readWeights<Header>(bytes: Uint8Array): Weights<Header> {
  const view = viewBytes(bytes);
  if (view.toString("latin1", 0, 4) !== MAGIC) throw new Error("This is not a weight file.");
  const headerBytes = view.readUInt32LE(4);
  const stored = JSON.parse(view.toString("utf8", 8, 8 + headerBytes)) as StoredHeader & Header;
  if (stored.version !== VERSION) throw new Error(`Unsupported weight file: ${stored.version}.`);
  const arrays = new Map<string, WeightArray>();
  let at = 8 + headerBytes;
  for (const { name, type, shape } of stored.arrays) {
    const count = shape.reduce((product, size) => product * size, 1);
    const TypedArray = ARRAY_TYPES[type];
    arrays.set(name, new TypedArray(bytes.buffer as ArrayBuffer, bytes.byteOffset + at, count));
    const size = count * TypedArray.BYTES_PER_ELEMENT;
    at += size + (-size & 7);
  }
  const find = <Type extends WeightArray>(
    TypedArray: abstract new (...args: never[]) => Type,
    name: string,
  ): Type => {
    const array = arrays.get(name);
    if (array instanceof TypedArray) return array;
    throw new Error(`The weight file lacks ${name}.`);
  };
  return {
    header: stored,
    vocabulary: view.toString("utf8", at, at + stored.vocabulary_bytes).split("\n"),
    bytes: (name) => find(Int8Array, name),
    integers: (name) => find(Int32Array, name),
    floats: (name) => find(Float32Array, name),
  };
}
