/** Cohere, by its reference-compatible endpoint: chat and embeddings. */
import { addressOr, bearer, type Provider } from "./provider.ts";

export const cohere: Provider = {
  kind: "cohere",
  address: addressOr("https://api.cohere.ai/compatibility/v1"),
  headers: bearer,
  operations: { chat: {}, embeddings: {} },
  probe: { tail: "/models" },
};
