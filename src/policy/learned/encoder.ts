/** Stage 2 of the injection model: a transformer encoder of three layers that scores one window of word pieces. */
import { createKernel, createMemoryLayout, type Kernel } from "./kernel.ts";
import { readWeights, type WeightArray } from "./read-weights.ts";
import type { ModelOrigin } from "./window-scorer.ts";

/** Window of word pieces, with the origin of its text. */
export interface EncoderInput {
  ids: Int32Array;
  origin: ModelOrigin;
}

export interface Encoder {
  /** Returns the logit of a window. */
  score: (ids: Int32Array, origin: ModelOrigin) => number;
}

interface Header {
  /** Word pieces of a window, without the special ones. */
  window: number;
  layers: number;
  origins: string[];
  /** Word pieces that represent the origins. */
  prefixes: string[];
}

/** Word pieces that are added to a window: start, origin and end. */
const SPECIAL_PIECES = 3;
const HEAD_WIDTH = 32;
/** Keeps a sum of 1,536 products with 8-bit weights below 2^31. */
const MAX_ACTIVATION = 10_000;

export function createEncoder(bytes: Uint8Array): Encoder {
  const weights = readWeights<Header>(bytes);
  const { header, vocabulary } = weights;
  const layout = createMemoryLayout();
  const placed: { array: WeightArray; address: number }[] = [];
  const place = (array: WeightArray): number => {
    const address = layout.reserve(array.byteLength);
    placed.push({ array, address });
    return address;
  };
  const placeDense = (name: string): Dense => ({
    matrix: place(weights.bytes(`${name}.weight`)),
    scales: place(weights.floats(`${name}.weight.scale`)),
    bias: place(weights.floats(`${name}.bias`)),
  });
  const placeNorm = (name: string): Norm => ({
    gain: place(weights.floats(`${name}.weight`)),
    bias: place(weights.floats(`${name}.bias`)),
  });
  const embeddingNorm = placeNorm("embeddings.LayerNorm");
  const layers = Array.from({ length: header.layers }, (_, number): Layer => {
    const name = `encoder.layer.${number}`;
    return {
      query: placeDense(`${name}.attention.self.query`),
      key: placeDense(`${name}.attention.self.key`),
      value: placeDense(`${name}.attention.self.value`),
      mix: placeDense(`${name}.attention.output.dense`),
      mixNorm: placeNorm(`${name}.attention.output.LayerNorm`),
      expand: placeDense(`${name}.intermediate.dense`),
      reduce: placeDense(`${name}.output.dense`),
      reduceNorm: placeNorm(`${name}.output.LayerNorm`),
    };
  });

  const width = weights.floats("embeddings.LayerNorm.bias").length;
  const inner = weights.floats("encoder.layer.0.intermediate.dense.bias").length;
  const maxRows = roundUpRows(header.window + SPECIAL_PIECES);
  const reserveMatrix = () => layout.reserve(maxRows * width * 4);
  const at: Addresses = {
    states: reserveMatrix(),
    query: reserveMatrix(),
    key: reserveMatrix(),
    value: reserveMatrix(),
    mixed: reserveMatrix(),
    zeros: reserveMatrix(),
    expanded: layout.reserve(maxRows * inner * 4),
    rounded: layout.reserve(maxRows * inner * 2),
    attention: layout.reserve(maxRows * 4),
  };
  const kernel = createKernel(layout);
  const { buffer } = kernel.memory;
  for (const { array, address } of placed) {
    const from = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    new Uint8Array(buffer, address, array.byteLength).set(from);
  }
  const states = new Float32Array(buffer, at.states, maxRows * width);
  const words = weights.bytes("embeddings.word_embeddings.weight");
  const wordScales = weights.floats("embeddings.word_embeddings.weight.scale");
  const positions = weights.floats("embeddings.position_embeddings.weight");
  const segment = weights.floats("embeddings.token_type_embeddings.weight");
  const head = weights.floats("head.weight");
  const [headBias = 0] = weights.floats("head.bias");
  const findId = (piece: string) => Math.max(0, vocabulary.indexOf(piece));
  const [start, end, unknown] = [findId("[CLS]"), findId("[SEP]"), findId("[UNK]")];
  const prefixes = header.prefixes.map(findId);

  return {
    score(ids, origin) {
      const prefix = prefixes[header.origins.indexOf(origin)] ?? unknown;
      const pieces = [start, prefix, ...ids, end];
      embed(pieces);
      const count = pieces.length;
      const { gain, bias } = embeddingNorm;
      kernel.normalize(at.states, at.zeros, gain, bias, count, width);
      for (const layer of layers) {
        // The head reads the first state only.
        const queries = layer === layers.at(-1) ? 1 : count;
        runLayer(kernel, layer, at, { count, queries, width, inner });
      }
      return classify();
    },
  };

  function embed(pieces: readonly number[]) {
    states.fill(0);
    for (const [row, id] of pieces.entries()) {
      const scale = wordScales[id] ?? 0;
      for (let index = 0; index < width; index++) {
        states[row * width + index] =
          (words[id * width + index] ?? 0) * scale +
          (positions[row * width + index] ?? 0) +
          (segment[index] ?? 0);
      }
    }
  }

  function classify(): number {
    let logit = headBias;
    for (let index = 0; index < width; index++) logit += (states[index] ?? 0) * (head[index] ?? 0);
    return logit;
  }
}

/** Addresses of a matrix with its scales and bias. */
interface Dense {
  matrix: number;
  scales: number;
  bias: number;
}

interface Norm {
  gain: number;
  bias: number;
}

interface Layer {
  query: Dense;
  key: Dense;
  value: Dense;
  mix: Dense;
  mixNorm: Norm;
  expand: Dense;
  reduce: Dense;
  reduceNorm: Norm;
}

/** Addresses of intermediate results. */
interface Addresses {
  states: number;
  query: number;
  key: number;
  value: number;
  mixed: number;
  zeros: number;
  expanded: number;
  /** Input of a multiplication, as 16-bit integers. */
  rounded: number;
  /** One row of attention. */
  attention: number;
}

interface Size {
  /** Word pieces, one for each row. */
  count: number;
  /** Rows whose states the layer computes: the first ones. */
  queries: number;
  width: number;
  inner: number;
}

function runLayer(kernel: Kernel, layer: Layer, at: Addresses, size: Size): void {
  const { count, queries, width, inner } = size;
  const multiply = (dense: Dense, out: number, { rows, columns, depth, scale }: Product) => {
    const { matrix, scales, bias } = dense;
    const paddedRows = roundUpRows(rows);
    kernel.multiply(at.rounded, matrix, scales, bias, out, paddedRows, columns, depth, scale);
  };
  const round = (from: number, length: number) =>
    kernel.quantize(from, at.rounded, length, MAX_ACTIVATION);
  const normalize = ({ gain, bias }: Norm) =>
    kernel.normalize(at.states, at.query, gain, bias, queries, width);

  const input = { columns: width, depth: width, scale: round(at.states, count * width) };
  multiply(layer.query, at.query, { ...input, rows: queries });
  multiply(layer.key, at.key, { ...input, rows: count });
  multiply(layer.value, at.value, { ...input, rows: count });
  for (let head = 0; head < width; head += HEAD_WIDTH) {
    const offset = head * 4;
    const [query, key, value] = [at.query + offset, at.key + offset, at.value + offset];
    kernel.attend(query, key, value, at.mixed + offset, at.attention, queries, count, width);
  }
  const mixedScale = round(at.mixed, queries * width);
  multiply(layer.mix, at.query, { rows: queries, columns: width, depth: width, scale: mixedScale });
  normalize(layer.mixNorm);
  const stateScale = round(at.states, queries * width);
  multiply(layer.expand, at.expanded, {
    rows: queries,
    columns: inner,
    depth: width,
    scale: stateScale,
  });
  kernel.activate(at.expanded, queries * inner);
  const innerScale = round(at.expanded, queries * inner);
  multiply(layer.reduce, at.query, {
    rows: queries,
    columns: width,
    depth: inner,
    scale: innerScale,
  });
  normalize(layer.reduceNorm);
}

interface Product {
  rows: number;
  columns: number;
  depth: number;
  /** Of the rounded input. */
  scale: number;
}

/** The kernel multiplies four rows at once. */
const roundUpRows = (rows: number): number => rows + (-rows & 3);
