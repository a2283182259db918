/** Finds the models of a batch of messages: each of its requests names one. */
import { AppError } from "../contract/errors.ts";
import { isObject, type JsonObject } from "../lib/json/json-object.ts";
import { parseStrict } from "../lib/json/parse-strict.ts";
import type { MemberScan } from "../lib/json/scan-members.ts";
import { canReadAs } from "../lib/text/fold-name.ts";
import { collectModels, MODEL_SELECTORS } from "./find-additional-models.ts";

/** Caps parsing, which blocks the event loop. */
const MAX_VALUES = 300_000;

/** Parses the whole body, so call it only for consumers whose models are limited. */
export function findBatchModels({ bytes, variants }: MemberScan<string>): {
  batch_models: string[];
  additional_models: string[];
} {
  // Rejects repeated names, because the upstream may use another one than the gateway checks.
  const parsed = parseStrict(bytes, MAX_VALUES);
  if (!parsed.ok) throw new AppError("invalid_request", `The body is ${parsed.reason}.`);
  const requests = isObject(parsed.value) ? parsed.value.requests : undefined;
  if (!Array.isArray(requests) || variants.has("requests")) {
    throw new AppError("invalid_request", "requests: must be a list.");
  }
  const found = { batch_models: new Set<string>(), additional_models: [] as string[] };
  for (const [index, request] of requests.entries()) {
    const params: unknown = isObject(request) ? request.params : undefined;
    const { model } = isObject(params) ? params : {};
    if (!isObject(params) || typeof model !== "string") {
      throw buildModelError(index, "must be a name");
    }
    rejectOtherNames(params, index);
    found.batch_models.add(model);
    for (const [name, value] of Object.entries(params)) {
      const selector = MODEL_SELECTORS.find((each) => canReadAs(name, each));
      if (selector) collectModels(value, found.additional_models, selector);
    }
  }
  return { ...found, batch_models: [...found.batch_models] };
}

/** Rejects `Model` and `modelId`: an upstream that reads them would use a model that was not checked. */
function rejectOtherNames(params: JsonObject, index: number): void {
  const isOther = (name: string) =>
    name !== "model" && (canReadAs(name, "model") || canReadAs(name, "modelid"));
  if (Object.keys(params).some(isOther)) throw buildModelError(index, "must be the only model");
}

function buildModelError(index: number, problem: string): AppError {
  const param = `requests.${index}.params.model`;
  return new AppError("invalid_model", `${param}: ${problem}.`, { details: { param } });
}
