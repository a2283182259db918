/** Scores word vectors of text by topic. */
import type { TopicModel } from "./fit-topics.ts";
import { dotProduct } from "./text-embedder.ts";

export interface TopicScore {
  topic: string;
  /** 0 to 1. 0.5 is 2.75 standard deviations above sentences about something else. */
  score: number;
}

/** Returns the score of each topic. */
export type TopicClassifier = (vector: Float32Array) => TopicScore[];

const DEVIATIONS = 2.75;

export function createTopicClassifier({ center, topics }: TopicModel): TopicClassifier {
  const square = dotProduct(center, center);
  const offsets = topics.map(({ direction }) => dotProduct(direction, center));
  return (vector) => {
    // The length of the vector after it is centered.
    const length = Math.sqrt(1 - 2 * dotProduct(vector, center) + square) || 1;
    return topics.map(({ name, direction, mean, deviation }, index) => {
      const projection = (dotProduct(direction, vector) - (offsets[index] ?? 0)) / length;
      const deviations = (projection - mean) / deviation;
      return { topic: name, score: 1 / (1 + Math.exp(DEVIATIONS - deviations)) };
    });
  };
}
