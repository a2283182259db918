/** Cohere, by its reference-compatible endpoint: chat and embeddings. */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

export const cohere: Provider = {
  kind: "cohere",
  address: addressOrDefault("https://api.cohere.ai/compatibility/v1"),
  headers: bearerHeaders,
  operations: { chat: {}, embeddings: {} },
  probe: { tail: "/models" },
};
