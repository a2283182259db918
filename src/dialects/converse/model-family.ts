/** Families of Bedrock models: they differ in prompt caching and in the parameters outside of the Converse API. */

export type ModelFamily = "claude" | "nova" | "gpt_oss" | "other";

/** A profile or a deployment with a name of its own is assumed to be Claude. */
const FAMILIES: [RegExp, ModelFamily][] = [
  [/anthropic\./, "claude"],
  [/amazon\.nova/, "nova"],
  [/openai\./, "gpt_oss"],
  [/:(application-inference-profile|provisioned-model|custom-model-deployment)\//, "claude"],
];

export const getModelFamily = (model: string): ModelFamily =>
  FAMILIES.find(([pattern]) => pattern.test(model))?.[1] ?? "other";

/** Other models reject cache points, and statuses of tool results. */
export const supportsCaching = (family: ModelFamily): boolean =>
  family === "claude" || family === "nova";
