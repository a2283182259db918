/** WebAssembly functions of the learned models. Addresses are offsets in the kernel's memory. */
import { KERNEL_BINARY } from "./kernel-binary.ts";

export interface Kernel {
  memory: WebAssembly.Memory;
  /** Adds the rows of a block of word pieces; writes the maximum and the sum of each channel. */
  pool: (
    table: number,
    bias: number,
    ids: number,
    count: number,
    tops: number,
    sums: number,
    channels: number,
  ) => void;
  /** Returns the dot product of two arrays, whose length is a multiple of four. */
  dot: (one: number, other: number, count: number) => number;
  /** Rounds numbers to 16-bit integers of at most `limit`, and returns the scale. */
  quantize: (from: number, to: number, count: number, limit: number) => number;
  /** Multiplies a matrix of 16-bit integers by the transpose of one of 8-bit integers, and adds the bias. */
  multiply: (
    left: number,
    right: number,
    scales: number,
    bias: number,
    out: number,
    rows: number,
    columns: number,
    depth: number,
    scale: number,
  ) => void;
  /**
   * Attention of one head of 32 numbers, of the first `queries` rows to `count` rows.
   * `scratch` has room for one row of attention.
   */
  attend: (
    query: number,
    key: number,
    value: number,
    out: number,
    scratch: number,
    queries: number,
    count: number,
    width: number,
  ) => void;
  /** Adds two matrices and normalizes each row, in place of the first one. */
  normalize: (
    values: number,
    other: number,
    gain: number,
    bias: number,
    rows: number,
    width: number,
  ) => void;
  /** Applies GELU. */
  activate: (values: number, count: number) => void;
}

/** Instantiates the kernel with the memory that a layout reserved. */
export function createKernel(layout: MemoryLayout): Kernel {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(layout.size() / PAGE_BYTES) });
  const module = new WebAssembly.Module(Buffer.from(KERNEL_BINARY, "base64"));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  // kernel.c exports the other members of the interface.
  return { ...(exports as unknown as Omit<Kernel, "memory">), memory };
}

const PAGE_BYTES = 65_536;

export interface MemoryLayout {
  /** Returns the address of `bytes` bytes, aligned for vectors. */
  reserve: (bytes: number) => number;
  size: () => number;
}

/** The first pages belong to the stack of the kernel. */
export function createMemoryLayout(): MemoryLayout {
  let next = 2 * PAGE_BYTES;
  return {
    reserve(bytes) {
      const address = next;
      next += bytes + (-bytes & 15);
      return address;
    },
    size: () => next,
  };
}
