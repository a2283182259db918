/** Google Gemini: its own API, and chat and embeddings through its OpenAI-compatible endpoint. */
import {
  addressOrDefault,
  bearerHeaders,
  createGeminiOperations,
  type Provider,
  type Upstream,
} from "./provider.ts";

const address = addressOrDefault("https://generativelanguage.googleapis.com/v1beta/openai");
const nativeAddress = (upstream: Upstream) => address(upstream).replace(/\/openai$/, "");
const nativeHeaders = ({ api_key }: Upstream): Record<string, string> =>
  api_key === null ? {} : { "x-goog-api-key": api_key };

const native = createGeminiOperations(nativeAddress);

export const google: Provider = {
  kind: "google",
  address,
  headers: (upstream, capability) =>
    capability && capability in native ? nativeHeaders(upstream) : bearerHeaders(upstream),
  // The native list: it has what each model can generate.
  modelList: (upstream) => ({
    urls: [`${nativeAddress(upstream)}/models?pageSize=1000`],
    headers: nativeHeaders(upstream),
  }),
  operations: { ...native, chat: {}, embeddings: {} },
  probe: { tail: "/models" },
};
