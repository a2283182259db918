/** Trains a softmax classifier of hashed features with AdaGrad, and quantizes it. */
import { FEATURES } from "../../src/policy/names/name-features.ts";
import type { EncodedTokens } from "./encode-texts.ts";
import type { Random } from "./random.ts";

export const ROW_BITS = 17;
const LABEL_COUNT = 4;
const EPOCHS = 8;
const AVERAGED_EPOCHS = 5;
const RATE = 0.15;
/** Features that identify the word are dropped at random, so that the model also learns from its context. */
const DROPPED_FEATURES = 0.2;
const DECAY = 1e-6;

export function trainModel(tokens: EncodedTokens, random: Random): Float32Array {
  const rows = 2 ** ROW_BITS;
  const weights = new Float32Array(rows * LABEL_COUNT);
  /** The mean over the last epochs generalizes better than the last weights. */
  const mean = new Float32Array(rows * LABEL_COUNT);
  const squares = new Float32Array(rows * LABEL_COUNT).fill(1);
  const order = Uint32Array.from({ length: tokens.count }, (_, index) => index);
  const scores = new Float64Array(LABEL_COUNT);
  const active = new Int32Array(FEATURES);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    let loss = 0;
    for (const token of order) {
      let count = 0;
      for (let at = 0; at < FEATURES; at++) {
        if (random.next() < DROPPED_FEATURES) continue;
        active[count++] =
          ((tokens.features[token * FEATURES + at] ?? 0) >>> (32 - ROW_BITS)) * LABEL_COUNT;
      }
      scores.fill(0);
      for (let at = 0; at < count; at++) {
        const row = active[at] as number;
        for (let label = 0; label < LABEL_COUNT; label++)
          (scores[label] as number) += weights[row + label] as number;
      }
      const top = Math.max(...scores);
      let total = 0;
      for (let label = 0; label < LABEL_COUNT; label++) {
        scores[label] = Math.exp((scores[label] as number) - top);
        total += scores[label] as number;
      }
      const gold = tokens.labels[token] as number;
      loss -= Math.log((scores[gold] as number) / total);
      for (let label = 0; label < LABEL_COUNT; label++) {
        const error = (scores[label] as number) / total - (label === gold ? 1 : 0);
        if (Math.abs(error) < 0.002) continue;
        for (let at = 0; at < count; at++) {
          const to = (active[at] as number) + label;
          const gradient = error + DECAY * (weights[to] as number);
          squares[to] = (squares[to] as number) + gradient * gradient;
          weights[to] =
            (weights[to] as number) - (RATE * gradient) / Math.sqrt(squares[to] as number);
        }
      }
    }
    if (epoch >= EPOCHS - AVERAGED_EPOCHS) {
      for (let at = 0; at < mean.length; at++)
        mean[at] = (mean[at] as number) + (weights[at] as number);
    }
    console.error(`epoch ${epoch + 1}: loss ${(loss / tokens.count).toFixed(4)}`);
  }
  // Inference drops no features.
  return mean.map((weight) => (weight / AVERAGED_EPOCHS) * (1 - DROPPED_FEATURES));
}

export function quantize(weights: Float32Array): { values: Int8Array; scale: number } {
  const sorted = weights.map(Math.abs).sort();
  const limit = sorted[Math.floor(sorted.length * 0.9999)] ?? 1;
  const scale = limit / 127;
  return {
    values: Int8Array.from(weights, (weight) =>
      Math.max(-127, Math.min(127, Math.round(weight / scale))),
    ),
    scale,
  };
}

function shuffle(order: Uint32Array, random: Random): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other] as number, order[at] as number];
  }
}
