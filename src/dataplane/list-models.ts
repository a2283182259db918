/** Lists the models that a consumer can use, in the format of the client: OpenAI's, or Anthropic's with pages. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { findUsableModels, type UsableModel } from "./find-usable-models.ts";
import type { AuthenticatedRequest } from "./stages.ts";

export async function listModels(
  deps: Deps,
  { consumer, item, request, search }: AuthenticatedRequest,
): Promise<object> {
  const usable = await findUsableModels(deps, consumer);
  if (!request.headers.has("anthropic-version")) {
    if (item !== undefined) return toOpenAiModel(findModel(usable, item));
    return { object: "list", data: usable.map(toOpenAiModel) };
  }
  const models = usable.filter(({ capabilities }) => capabilities.has("messages"));
  return item === undefined
    ? toAnthropicPage(models, new URLSearchParams(search))
    : toAnthropicModel(findModel(models, item));
}

function findModel(models: readonly UsableModel[], id: string): UsableModel {
  const model = models.find((one) => one.id === id);
  if (model) return model;
  throw new AppError("not_found", "Unknown model. GET /v1/models lists the consumer's models.");
}

/** The first registry of a model is its owner. */
const toOpenAiModel = ({ id, created, routes: [owner] }: UsableModel) => ({
  id,
  object: "model",
  created,
  owned_by: owner?.registry.provider.kind,
});

const toAnthropicModel = ({ id, display_name, created, catalog }: UsableModel) => ({
  type: "model",
  id,
  display_name,
  created_at: new Date(created * 1000).toISOString().replace(".000Z", "Z"),
  max_input_tokens: catalog?.context_window ?? null,
  max_tokens: catalog?.max_output ?? null,
});

const DEFAULT_LIMIT = "20";
const MAX_LIMIT = 1000;

/** A cursor is an id. One that is not in the list any more still marks a position in it. */
function toAnthropicPage(models: readonly UsableModel[], query: URLSearchParams) {
  const limit = readLimit(query.get("limit") ?? DEFAULT_LIMIT);
  const after = query.get("after_id");
  const before = query.get("before_id");
  const range = models.filter(
    ({ id }) => (after === null || id > after) && (before === null || id < before),
  );
  const page = before === null ? range.slice(0, limit) : range.slice(-limit);
  return {
    data: page.map(toAnthropicModel),
    has_more: page.length < range.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AppError("invalid_request", `limit: must be a number from 1 to ${MAX_LIMIT}`, {
    details: { param: "limit" },
  });
}
