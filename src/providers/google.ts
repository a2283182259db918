/** Google Gemini through its OpenAI-compatible endpoint: chat and embeddings. */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

export const google: Provider = {
  kind: "google",
  address: addressOrDefault("https://generativelanguage.googleapis.com/v1beta/openai"),
  headers: bearerHeaders,
  operations: { chat: {}, embeddings: {} },
  probe: { tail: "/models" },
};
