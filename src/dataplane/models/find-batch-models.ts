/** Finds the models of a batch of messages: each of its requests names one. */
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import type { MemberScan } from "../../lib/json/scan-members.ts";
import { foldName } from "../../lib/text/fold-name.ts";
import { parseBody } from "../body/parse-body.ts";
import { collectModels } from "./find-additional-models.ts";
import { parseModelReference } from "./model-reference.ts";

/** Parses the whole body, so call it only for consumers whose models are limited. */
export function findBatchModels({ bytes, variants }: MemberScan<string>): {
  batch_models: string[];
  additional_models: string[];
} {
  const { value } = parseBody(bytes);
  const { requests, model: pin, ...others }: JsonObject = isObject(value) ? value : {};
  if (!Array.isArray(requests) || variants.has("requests")) {
    throw new AppError("invalid_request", "requests: must be a list.");
  }
  const batch_models = new Set<string>();
  const additional_models: string[] = [];
  // A pin of the whole batch names no model.
  const isPin = parseModelReference(pin).kind === "pinned";
  collectModels(isPin ? others : { ...others, model: pin }, additional_models);
  for (const [index, request] of requests.entries()) {
    const { params, ...rest }: JsonObject = isObject(request) ? request : {};
    if (!isObject(params) || typeof params.model !== "string") {
      throw buildModelError(index, "must be a name");
    }
    if (hasVariant(request, ["params"]) || hasVariant(params, ["model", "modelid"])) {
      throw buildModelError(index, "must be the only model, in lower case");
    }
    const { model, ...more } = params;
    batch_models.add(model);
    collectModels(rest, additional_models);
    collectModels(more, additional_models);
  }
  return { batch_models: [...batch_models], additional_models };
}

/** Returns whether a member such as `Model` could be read as one of the names by a lenient parser. */
function hasVariant(object: JsonObject, names: readonly string[]): boolean {
  for (const name in object) {
    const folded = foldName(name);
    if (names.includes(folded) && name !== names[0]) return true;
  }
  return false;
}

function buildModelError(index: number, problem: string): AppError {
  const param = `requests.${index}.params.model`;
  return new AppError("invalid_model", `${param}: ${problem}.`, { details: { param } });
}
