/** Finds the models of a batch of messages: each of its requests names one. */
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import type { MemberScan } from "../../lib/json/scan-members.ts";
import { foldName } from "../../lib/text/fold-name.ts";
import { parseBody } from "../body/parse-body.ts";
import { collectModels } from "./find-additional-models.ts";

/** Parses the whole body, so call it only for consumers whose models are limited. */
export function findBatchModels({ bytes, variants }: MemberScan<string>): {
  batch_models: string[];
  additional_models: string[];
} {
  const { value } = parseBody(bytes);
  const requests = isObject(value) ? value.requests : undefined;
  if (!Array.isArray(requests) || variants.has("requests")) {
    throw new AppError("invalid_request", "requests: must be a list.");
  }
  const batch_models = new Set<string>();
  const additional_models: string[] = [];
  for (const [index, request] of requests.entries()) {
    const params: unknown = isObject(request) ? request.params : undefined;
    if (!isObject(params) || typeof params.model !== "string") {
      throw buildModelError(index, "must be a name");
    }
    if (hasVariant(request, ["params"]) || hasVariant(params, ["model", "modelid"])) {
      throw buildModelError(index, "must be the only model, in lower case");
    }
    batch_models.add(params.model);
    collectModels(params, additional_models);
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
