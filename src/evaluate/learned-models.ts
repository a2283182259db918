/** Loads the learned models, each when a policy needs it first, once per thread. */

import scorerWeights from "../../models/injection.weights" with { type: "file" };
import nameWeights from "../../models/names.weights" with { type: "file" };
import toxicityWeights from "../../models/toxicity.weights" with { type: "file" };
import type { LearnedModels } from "../policy/detector.ts";
import { createToxicityScorer } from "../policy/learned/toxicity-scorer.ts";
import { createWindowScorer } from "../policy/learned/window-scorer.ts";
import { createNameFinder } from "../policy/names/name-finder.ts";
import { readNameModel } from "../policy/names/name-model.ts";
import { createTextEmbedder } from "../policy/topics/text-embedder.ts";
import { createModelLoader } from "./create-model-loader.ts";
import { encoderFile } from "./encode-windows.ts";

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
