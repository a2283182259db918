/** Third provider style, by its reference-compatible endpoint: chat and embeddings. */
import { addressOr, bearer, type Provider } from "./provider.ts";

export const google: Provider = {
  kind: "google",
  address: addressOr("https://generativelanguage.googleapis.com/v1beta/openai"),
  headers: bearer,
  operations: { chat: {}, embeddings: {} },
  probe: { tail: "/models" },
};
