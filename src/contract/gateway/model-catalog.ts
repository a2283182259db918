/** Wire shapes of the model catalog, and of the models that a consumer can use. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page } from "../shapes.ts";
import { CAPABILITIES, KINDS } from "./registries.ts";

export const MODEL_MODES = ["chat", "embedding", "image", "speech", "transcription"] as const;
export const MODALITIES = ["text", "image", "audio", "video", "pdf", "embedding"] as const;

const Price = z.number().nonnegative().nullable();
const CatalogDate = z.iso.date().nullable();

/** null: not published, or unknown. */
export const TokenPrices = z.object({
  input: Price,
  cached_input: Price.describe("Input that is read from the provider's prompt cache."),
  cache_write: Price.describe("Input that is written to the provider's prompt cache."),
  output: Price,
});

export const CatalogModel = z.object({
  id: z.string().describe("`provider/model`."),
  provider: z.enum(KINDS),
  model: z.string().describe("Name that the provider expects."),
  name: z.string().describe("Display name."),
  mode: z.enum(MODEL_MODES),
  context_window: z.int().nullable().describe("Tokens of input and output; null: unknown."),
  max_output: z.int().nullable().describe("Tokens of one response; null: unknown."),
  input_modalities: z.array(z.enum(MODALITIES)),
  output_modalities: z.array(z.enum(MODALITIES)),
  prices: TokenPrices.extend({
    per: z.literal("1M tokens"),
    currency: z.literal("USD"),
    long_context: TokenPrices.extend({
      above: z.int().describe("Input tokens above which these prices apply."),
    }).nullable(),
  })
    .nullable()
    .describe("List prices. null: not priced by tokens, or unknown."),
  retires_on: CatalogDate.describe(
    "Date on which the provider shuts it down; null: none announced.",
  ),
  source: z.url().describe("Page of the provider with the prices."),
  as_of: z.iso.date().describe("Date of the facts."),
});
export type CatalogModel = z.infer<typeof CatalogModel>;

export const MODEL_SORTS = [
  "id",
  "name",
  "context_window",
  "max_output",
  "input_price",
  "output_price",
  "retires_on",
] as const;

export const listModelCatalog = endpoint({
  name: "list_model_catalog",
  method: "GET",
  path: "/v1/model-catalog",
  auth: "read",
  summary: "List known models with context size, modalities, prices and retirement dates",
  query: PageQuery.extend({
    provider: z.enum(KINDS).optional(),
    mode: z.enum(MODEL_MODES).optional(),
    sort: z
      .enum(MODEL_SORTS.flatMap((name) => [name, `-${name}`] as const))
      .default("id")
      .describe("Member to sort by; a leading `-` reverses the order. Unknown values are last."),
  }),
  reply: page(CatalogModel),
});

export const ConsumerModel = z.object({
  id: z.string().describe("Name that the client sends."),
  name: z.string().describe("Display name."),
  capabilities: z.array(z.enum(CAPABILITIES)).describe("Capabilities with which it is accepted."),
  registries: z.array(
    z.object({
      id: Id,
      name: z.string(),
      provider: z.enum(KINDS),
      model: z.string().describe("Model in the upstream request."),
    }),
  ),
  retires_on: CatalogDate.describe("As reported by the upstream, or of the catalog."),
  catalog: CatalogModel.nullable().describe("null: not in the catalog."),
});
export type ConsumerModel = z.infer<typeof ConsumerModel>;

export const listConsumerModels = endpoint({
  name: "list_consumer_models",
  method: "GET",
  path: "/v1/gateways/:gateway_id/consumers/:consumer_id/models",
  auth: "read",
  summary: "List the models that a consumer can use, with the catalog's data",
  query: PageQuery.omit({ sort: true }),
  reply: page(ConsumerModel),
});
