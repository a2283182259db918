/** Loads the stages of the injection model, each when a policy needs it first, once per thread. */

import scorerWeights from "../../models/injection.weights" with { type: "file" };
import encoderWeights from "../../models/injection-encoder.weights" with { type: "file" };
import { createLruCache } from "../lib/lru-cache.ts";
import { createEncoder, type EncoderInput } from "../policy/learned/encoder.ts";
import { createWindowScorer } from "../policy/learned/window-scorer.ts";
import { createTextEmbedder } from "../policy/topics/text-embedder.ts";
import { createModelLoader } from "./create-model-loader.ts";

export const loadWindowScorer = createModelLoader(createWindowScorer, {
  path: scorerWeights,
  sha256: "0c507ca746a5926e4819f2762e2758c9aeda469db086efaba020b45a7c35fd04",
});
const encoderFile = {
  path: encoderWeights,
  sha256: "9ed5c0c5d871681dc7baf5b7660ebfbfe8bbfefc6e09422b5d6fadce82fca074",
};
const loadEncoder = createModelLoader(createEncoder, encoderFile);
export const loadTextEmbedder = createModelLoader(createTextEmbedder, encoderFile);

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
