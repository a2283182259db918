/** Loads the learned models, each when a policy needs it first, once per thread. */

import scorerWeights from "../../models/injection.weights" with { type: "file" };
import nameWeights from "../../models/names.weights" with { type: "file" };
import topicWeights from "../../models/topics.weights" with { type: "file" };
import toxicityWeights from "../../models/toxicity.weights" with { type: "file" };
import type { LearnedModels } from "../policy/detector.ts";
import { createToxicityScorer } from "../policy/learned/toxicity-scorer.ts";
import { createWindowScorer } from "../policy/learned/window-scorer.ts";
import { createNameFinder } from "../policy/names/name-finder.ts";
import { readNameModel } from "../policy/names/name-model.ts";
import { readTopicModel } from "../policy/topics/read-topic-model.ts";
import { createTextEmbedder } from "../policy/topics/text-embedder.ts";
import { createModelLoader } from "./create-model-loader.ts";
import { encoderFile } from "./encode-windows.ts";

export const learnedModels: LearnedModels = {
  loadTextEmbedder: createModelLoader(createTextEmbedder, encoderFile),
  loadTopicModel: createModelLoader(readTopicModel, {
    path: topicWeights,
    sha256: "93845fc37921b3c6f17d9fd4739132968bff242092f3c6be17b3d718a5fa80bc",
  }),
  loadWindowScorer: createModelLoader(createWindowScorer, {
    path: scorerWeights,
    sha256: "57b21c4b5e5fc33a9dda67cfc7723105071871c47aac4bb2e21f8175463b110d",
  }),
  loadToxicityScorer: createModelLoader(createToxicityScorer, {
    path: toxicityWeights,
    sha256: "928f185541d8097e32f628f5f80746cfa0d6939558836cc5b4649b6dd3c56744",
  }),
  loadNameFinder: createModelLoader((bytes) => createNameFinder(readNameModel(bytes)), {
    path: nameWeights,
    sha256: "2197163ffa3f5af5f886e23af83e3a7b43abe6c702387ad180eb3188ea7ecc17",
  }),
};
