/** Reads the model of the built-in topics, which `training/fit-topics.ts` wrote. */
import { readWeights } from "../learned/read-weights.ts";
import type { TopicModel } from "./fit-topics.ts";

export function readTopicModel(bytes: Uint8Array): TopicModel {
  const weights = readWeights<{ topics: string[] }>(bytes);
  const center = weights.floats("center");
  const directions = weights.floats("directions");
  const means = weights.floats("means");
  const deviations = weights.floats("deviations");
  const topics = weights.header.topics.map((name, index) => ({
    name,
    direction: directions.subarray(index * center.length, (index + 1) * center.length),
    mean: means[index] ?? 0,
    deviation: deviations[index] ?? 1,
  }));
  return { center, topics };
}
