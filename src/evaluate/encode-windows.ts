/** Runs stage 2 of the injection model. Imported by its worker, which has to start quickly. */
import encoderWeights from "../../models/injection-encoder.weights" with { type: "file" };
import { createLruCache } from "../lib/lru-cache.ts";
import { createEncoder, type EncoderInput } from "../policy/learned/encoder.ts";
import { createModelLoader } from "./create-model-loader.ts";

export const encoderFile = {
  path: encoderWeights,
  sha256: "f214842af68d80fd16ebd368d656df87c2c51b749a4da5247fdab746ea4a15b7",
};
const loadEncoder = createModelLoader(createEncoder, encoderFile);

/** Conversations repeat their earlier messages. */
const knownLogits = createLruCache<number>(10_000);

/** Returns the logits of the windows. Takes about 8 ms for each, so it is not called in the main thread. */
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
