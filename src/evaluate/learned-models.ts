/** Loads the learned models, each when a policy needs it first, once per thread. */

import scorerWeights from "../../models/injection.weights" with { type: "file" };
import encoderWeights from "../../models/injection-encoder.weights" with { type: "file" };
import nameWeights from "../../models/names.weights" with { type: "file" };
import toxicityWeights from "../../models/toxicity.weights" with { type: "file" };
import { createLruCache } from "../lib/lru-cache.ts";
import type { LearnedModels } from "../policy/detector.ts";
import { createEncoder, type EncoderInput } from "../policy/learned/encoder.ts";
import { createToxicityScorer } from "../policy/learned/toxicity-scorer.ts";
import { createWindowScorer } from "../policy/learned/window-scorer.ts";
import { createNameFinder } from "../policy/names/name-finder.ts";
import { readNameModel } from "../policy/names/name-model.ts";
import { createTextEmbedder } from "../policy/topics/text-embedder.ts";
import { createModelLoader } from "./create-model-loader.ts";

const encoderFile = {
  path: encoderWeights,
  sha256: "7a8d91fd073e7619285d40def766a2bd6da8326dfb85d0737b128bbf291eaed7",
};
const loadEncoder = createModelLoader(createEncoder, encoderFile);
export const learnedModels: LearnedModels = {
  loadTextEmbedder: createModelLoader(createTextEmbedder, encoderFile),
  loadWindowScorer: createModelLoader(createWindowScorer, {
    path: scorerWeights,
    sha256: "7a51f5a8d7709f0e56dcd2f3a4662f526beb2c737758084e3d356aa00976321b",
  }),
  loadToxicityScorer: createModelLoader(createToxicityScorer, {
    path: toxicityWeights,
    sha256: "95ed5e6405eebf9d8ff476f936aac8bb36f35ca46ea10c693bde879fb2a26344",
  }),
  loadNameFinder: createModelLoader((bytes) => createNameFinder(readNameModel(bytes)), {
    path: nameWeights,
    sha256: "cb92f6dcd12a3d4ab2b10849e71cd5f6c37e28f4927b02dfcaa6ac8504d728d4",
  }),
};

/** Conversations repeat their earlier messages. */
const knownLogits = createLruCache<number>(10_000);

/** Returns the logits of stage 2. Takes about 15 ms for each window, so it is not called in the main thread. */
export async function encodeWindows(windows: readonly EncoderInput[]): Promise<number[]> {
  const encoder = await loadEncoder();
  return windows.map(({ ids, origin }) => {
    const key = `${origin} ${ids.join()}`;
    const known = knownLogits.get(key);
    if (known !== undefined) return known;
    const logit = encoder.score(ids, origin);
    knownLogits.set(key, logit);
    return logit;
  });
}
