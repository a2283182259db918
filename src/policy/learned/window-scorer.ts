/** Stage 1 of the injection model: scores every window of text for instructions that try to take over a model. */
import type { ReportLevel } from "../setting-schemas.ts";
import { createKernel, createMemoryLayout } from "./kernel.ts";
import { readWeights } from "./read-weights.ts";
import { createWordPieceSplitter, type WordPieces } from "./word-pieces.ts";

/** Origins of text that the model distinguishes. */
export type ModelOrigin = "user" | "system" | "tool_result" | "document" | "tool_definition";

/** Window of text with its word pieces, for stage 2. */
export interface ScoredWindow {
  logit: number;
  /** Empty if stage 2 must not read the window. */
  ids: Int32Array;
  /** UTF-16 offsets of the window in the text. */
  start: number;
  end: number;
  /** Number of windows of the text. */
  count: number;
}

/** Combines the scores of both stages, and sets the thresholds of the levels. Measured on text that was not trained on. */
export interface Cascade {
  /** Share of stage 1 in the logit; the rest is that of stage 2. */
  share: number;
  /** Logit of stage 1 above which stage 2 reads a window. */
  band: number;
  /** Minimum scores by level. */
  thresholds: Record<InjectionType, Record<ReportLevel, number>>;
}

export type InjectionType = "prompt_injection" | "indirect_prompt_injection";

export interface WindowScorer {
  cascade: Cascade;
  /**
   * Returns the window with the highest score, and after it others above the band, at most `MAX_WINDOWS`; none for text
   * without words. Yields the size of each part that is read.
   */
  findHighest: (text: string, origin: ModelOrigin) => Generator<number, ScoredWindow[]>;
}

interface Header {
  cascade: Cascade;
  stride: number;
  channels: number;
  hidden: number;
  origins: string[];
}

/** A window is two blocks of word pieces. Each block is pooled once. */
export function createWindowScorer(bytes: Uint8Array): WindowScorer {
  const weights = readWeights<Header>(bytes);
  const { channels, hidden, stride, origins } = weights.header;
  const split = createWordPieceSplitter(weights.vocabulary);
  const table = weights.bytes("table");
  const scales = weights.floats("scale");
  const innerWeight = weights.floats("inner_weight");
  const innerBias = weights.floats("inner_bias");
  const outerWeight = weights.floats("outer_weight");
  const [outerBias = 0] = weights.floats("outer_bias");
  const inputs = 2 * channels + origins.length;
  const padded = inputs + (-inputs & 3);
  const layout = createMemoryLayout();
  const at = {
    table: layout.reserve(table.length),
    bias: layout.reserve(channels * 2),
    ids: layout.reserve((stride + 2) * 4),
    tops: layout.reserve(channels * 2),
    sums: layout.reserve(channels * 2),
    weights: layout.reserve(hidden * padded * 4),
    features: layout.reserve(padded * 4),
  };
  const { memory, pool, dot } = createKernel(layout);
  const { buffer } = memory;
  new Int8Array(buffer, at.table).set(table);
  new Int16Array(buffer, at.bias, channels).set(weights.integers("bias"));
  const rows = new Float32Array(buffer, at.weights, hidden * padded);
  for (let unit = 0; unit < hidden; unit++) {
    rows.set(innerWeight.subarray(unit * inputs, (unit + 1) * inputs), unit * padded);
  }
  const ids = new Int32Array(buffer, at.ids, stride + 2);
  const tops = new Int16Array(buffer, at.tops, channels);
  const sums = new Int16Array(buffer, at.sums, channels);
  const features = new Float32Array(buffer, at.features, padded);

  return {
    cascade: weights.header.cascade,
    *findHighest(text, origin) {
      const number = origins.indexOf(origin);
      const { band } = weights.header.cascade;
      let best: UncountedWindow[] = [];
      let least = Number.NEGATIVE_INFINITY;
      let count = 0;
      let before: PooledBlock | undefined;
      let pieces = NO_PIECES;
      let from = 0;
      for (let at = 0; at < text.length; ) {
        const end = findPartEnd(text, at);
        // The next window begins with the last block.
        pieces = appendPieces(pieces, from - stride, split(text.slice(at, end)), at);
        from = Math.min(from, stride);
        // A block is pooled together with the piece that follows it.
        const minPieces = end < text.length ? stride + 1 : 1;
        for (; from + minPieces <= pieces.length; from += stride) {
          const block = poolBlock(pieces, from);
          if (before || from + stride >= pieces.length) {
            const logit = scoreWindow(before, block, number);
            count += 1;
            const first = before ? from - stride : from;
            if (logit > least) {
              best.push(createWindow(pieces, first, from + stride, logit));
              least = Math.min(band, logit);
            }
          }
          before = block;
        }
        best = selectHighest(best, band);
        yield end - at;
        at = end;
      }
      return best.map((window) => ({ ...window, count }));
    },
  };

  function poolBlock(pieces: WordPieces, from: number): PooledBlock {
    const count = Math.min(stride, pieces.length - from);
    // Id 0 is the padding, whose row is zero.
    for (let index = -1; index <= count; index++) ids[index + 1] = pieces.ids[from + index] ?? 0;
    if (from + count === pieces.length) ids[count + 1] = 0;
    pool(at.table, at.bias, at.ids, count, at.tops, at.sums, channels);
    return { tops: tops.slice(), sums: sums.slice(), count };
  }

  /** Returns the logit of the window of two blocks, or of one. */
  function scoreWindow(
    before: PooledBlock | undefined,
    block: PooledBlock,
    origin: number,
  ): number {
    const count = block.count + (before?.count ?? 0);
    for (let channel = 0; channel < channels; channel++) {
      const scale = scales[channel] ?? 0;
      const top = Math.max(block.tops[channel] ?? 0, before?.tops[channel] ?? 0);
      const sum = (block.sums[channel] ?? 0) + (before?.sums[channel] ?? 0);
      features[channel] = top * scale;
      features[channels + channel] = (sum * scale) / count;
    }
    features.fill(0, 2 * channels);
    features[2 * channels + origin] = 1;
    let logit = outerBias;
    for (let unit = 0; unit < hidden; unit++) {
      const product = dot(at.weights + unit * padded * 4, at.features, padded);
      const sum = product + (innerBias[unit] ?? 0);
      if (sum > 0) logit += sum * (outerWeight[unit] ?? 0);
    }
    return logit;
  }
}

const NONE = new Int32Array();
const NO_PIECES: WordPieces = { ids: NONE, starts: NONE, ends: NONE, length: 0 };

/** Pieces take twelve bytes for a character, and up to 0.4 µs: other evaluations run between two parts. */
const PART_CHARACTERS = 64 * 1024;
/** Matches characters that no word contains. */
const BETWEEN_WORDS = /[\s!-/:-@\u3002\uff0c\u4e00-\u9fff]/g;

/** Returns the end of a part that contains complete words. */
function findPartEnd(text: string, start: number): number {
  if (text.length - start <= PART_CHARACTERS) return text.length;
  BETWEEN_WORDS.lastIndex = start + PART_CHARACTERS;
  return BETWEEN_WORDS.exec(text)?.index ?? text.length;
}

/** Returns the pieces from `first` on, and those of the part of the text at `offset`. */
function appendPieces(
  pieces: WordPieces,
  first: number,
  part: WordPieces,
  offset: number,
): WordPieces {
  if (offset === 0) return part;
  const kept = Math.max(0, first);
  const join = (one: Int32Array, other: Int32Array, shift: number) => {
    const joined = new Int32Array(pieces.length - kept + part.length);
    joined.set(one.subarray(kept, pieces.length));
    for (let at = 0; at < part.length; at++)
      joined[pieces.length - kept + at] = (other[at] ?? 0) + shift;
    return joined;
  };
  return {
    ids: join(pieces.ids, part.ids, 0),
    starts: join(pieces.starts, part.starts, offset),
    ends: join(pieces.ends, part.ends, offset),
    length: pieces.length - kept + part.length,
  };
}

/** Caps the windows of one text. */
export const MAX_WINDOWS = 64;

/** Returns the highest window, and others above the band. */
const selectHighest = (windows: readonly UncountedWindow[], band: number): UncountedWindow[] =>
  windows
    .toSorted((one, other) => other.logit - one.logit)
    .filter(({ logit }, index) => index === 0 || (index < MAX_WINDOWS && logit > band));

type UncountedWindow = Omit<ScoredWindow, "count">;

function createWindow(
  pieces: WordPieces,
  first: number,
  next: number,
  logit: number,
): UncountedWindow {
  const end = Math.min(pieces.length, next);
  return {
    logit,
    ids: pieces.ids.slice(first, end),
    start: pieces.starts[first] ?? 0,
    end: pieces.ends[end - 1] ?? 0,
  };
}

interface PooledBlock {
  tops: Int16Array;
  sums: Int16Array;
  count: number;
}
