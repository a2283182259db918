/** Loads the model of names when a policy needs it first. */
import weights from "../../models/names.weights" with { type: "file" };
import { createNameFinder } from "../policy/names/name-finder.ts";
import { readNameModel } from "../policy/names/name-model.ts";
import { createModelLoader } from "./create-model-loader.ts";

export const loadNameFinder = createModelLoader((bytes) => createNameFinder(readNameModel(bytes)), {
  path: weights,
  sha256: "cb92f6dcd12a3d4ab2b10849e71cd5f6c37e28f4927b02dfcaa6ac8504d728d4",
});
