/** Google Gemini through its OpenAI-compatible endpoint: chat and embeddings. */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

const address = addressOrDefault("https://generativelanguage.googleapis.com/v1beta/openai");

export const google: Provider = {
  kind: "google",
  address,
  headers: bearerHeaders,
  // The native list: it has what each model can generate.
  modelList: (upstream) => ({
    url: `${address(upstream).replace(/\/openai$/, "")}/models?pageSize=1000`,
    headers: upstream.api_key === null ? {} : { "x-goog-api-key": upstream.api_key },
  }),
  operations: { chat: {}, embeddings: {} },
  probe: { tail: "/models" },
};
