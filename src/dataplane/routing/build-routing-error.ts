/** Builds the error that explains best why all registries of a consumer were excluded. */
import { AppError } from "../../contract/errors.ts";
import { NAME_CHARACTERS, namesOneModel } from "../../contract/gateway/consumers.ts";
import type { RoutingCriteria, StaticExclusion } from "./evaluate-registry.ts";

const UNRELATED_TO_MODEL: readonly StaticExclusion[] = ["capability", "file_elsewhere"];

export function buildRoutingError(
  criteria: RoutingCriteria,
  exclusions: readonly StaticExclusion[],
): AppError {
  const usable = exclusions.filter(
    (exclusion) => exclusion !== "disabled" && exclusion !== "unusable",
  );
  const pinned = usable.filter((exclusion) => exclusion !== "not_pinned");
  const hasPin = criteria.model.kind === "pinned" || criteria.pin !== undefined;
  if (hasPin && usable.length > 0) {
    if (pinned.length === 0) {
      return new AppError("model_not_allowed", "No registry of this consumer matches the pin.");
    }
    // No failover away from a pin (spec 4.7.3).
    if (pinned.every((exclusion) => exclusion === "capability")) {
      const text = `The pinned registry does not support this capability: ${criteria.capability}.`;
      return new AppError("invalid_request", text);
    }
  }
  const models = pinned.filter((exclusion) => !UNRELATED_TO_MODEL.includes(exclusion));
  const details = { param: "model" };
  if (models.length === 0) {
    const text = `No backend available: no registry of this consumer supports ${criteria.capability}.`;
    return new AppError("no_backend_available", text);
  }
  if (models.every((exclusion) => exclusion === "needs_model")) {
    return new AppError("invalid_model", "This request must name a model.", { details });
  }
  if (models.every((exclusion) => exclusion === "model_name" || exclusion === "needs_model")) {
    const text =
      "model: must not contain `/`, `?`, `#`, `\\`, `..` or control characters for these registries.";
    return new AppError("invalid_model", text, { details });
  }
  if (criteria.model.kind === "opaque") {
    const text =
      "model: must be a name, because the models of this consumer are limited or mapped.";
    return new AppError("model_not_allowed", text, { details });
  }
  if (models.every((exclusion) => exclusion === "batch_file")) {
    const text =
      "The models of this batch are in a file, which the gateway does not read, and this consumer's models are limited or mapped. Send the requests without a batch.";
    return new AppError("model_not_allowed", text);
  }
  if (models.every((exclusion) => exclusion === "no_default")) {
    const text = "No registry of this consumer has a default model. Send `model`.";
    return new AppError("model_not_allowed", text, { details });
  }
  const text = listNames(criteria).every(namesOneModel) ? undefined : UNUSUAL_NAME;
  return new AppError("model_not_allowed", text, { details });
}

const UNUSUAL_NAME = `This consumer may not use that model. A pattern of an allow-list matches only ${NAME_CHARACTERS}, without \`..\`; an administrator can add other names literally.`;

const listNames = ({ model, additional_models, batch_models }: RoutingCriteria): string[] => [
  ...("model" in model ? [model.model] : []),
  ...additional_models,
  ...batch_models,
];
