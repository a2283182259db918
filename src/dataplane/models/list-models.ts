/** Lists the models that a consumer can use, in the format of the client: OpenAI's, or Anthropic's or Gemini's with pages. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { AuthenticatedRequest } from "../stages.ts";
import { findUsableModels, type UsableModel } from "./find-usable-models.ts";

export async function listModels(
  deps: Deps,
  { consumer, endpoint, item, request, search }: AuthenticatedRequest,
): Promise<object> {
  const usable = await findUsableModels(deps, consumer);
  if (endpoint.dialect === "generate_content" || request.headers.has("x-goog-api-key")) {
    const models = usable.filter(({ capabilities }) => capabilities.has("generate_content"));
    return item === undefined
      ? toGeminiPage(models, new URLSearchParams(search))
      : toGeminiModel(findModel(models, item));
  }
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

const MAX_LIMIT = 1000;

/** A cursor is an id. One that is not in the list any more still marks a position in it. */
function toAnthropicPage(models: readonly UsableModel[], query: URLSearchParams) {
  const limit = readLimit(query, "limit", "20");
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

const toGeminiModel = ({ id, display_name }: UsableModel) => ({
  name: `models/${id}`,
  version: id,
  displayName: display_name,
  supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
});

/** The token of a page is the last id of the page before it. */
function toGeminiPage(models: readonly UsableModel[], query: URLSearchParams) {
  const limit = readLimit(query, "pageSize", "50");
  const token = query.get("pageToken");
  const rest = token === null ? models : models.filter(({ id }) => id > token);
  const page = rest.slice(0, limit);
  const nextPageToken = page.length < rest.length ? page.at(-1)?.id : undefined;
  return { models: page.map(toGeminiModel), ...(nextPageToken && { nextPageToken }) };
}

function readLimit(query: URLSearchParams, param: string, fallback: string): number {
  const text = query.get(param) ?? fallback;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AppError("invalid_request", `${param}: must be a number from 1 to ${MAX_LIMIT}`, {
    details: { param },
  });
}
