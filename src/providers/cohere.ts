/** Cohere, by its reference-compatible endpoint: chat and embeddings. */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

const address = addressOrDefault("https://api.cohere.ai/compatibility/v1");

export const cohere: Provider = {
  kind: "cohere",
  address,
  headers: bearerHeaders,
  // The native list: it has the endpoints of each model.
  modelList: (upstream) => ({
    url: `${address(upstream).replace(/\/compatibility\/v1$/, "/v1")}/models?page_size=1000`,
    headers: bearerHeaders(upstream),
  }),
  operations: { chat: {}, embeddings: {} },
  probe: { tail: "/models" },
};
