/** Cohere: chat and embeddings at its OpenAI-compatible endpoint, rerank and the list of models at its own. */
import { addressOrDefault, bearerHeaders, type Provider, type Upstream } from "./provider.ts";

const address = addressOrDefault("https://api.cohere.ai/compatibility/v1");
const nativeAddress = (upstream: Upstream, version: string): string =>
  address(upstream).replace(/\/compatibility\/v1$/, `/${version}`);

export const cohere: Provider = {
  kind: "cohere",
  address,
  headers: bearerHeaders,
  // The native list: it has the endpoints of each model.
  modelList: (upstream) => ({
    urls: [`${nativeAddress(upstream, "v1")}/models?page_size=1000`],
    headers: bearerHeaders(upstream),
  }),
  url: (upstream, { tail, search }, capability) => {
    const base = capability === "rerank" ? nativeAddress(upstream, "v2") : address(upstream);
    return `${base}${tail}${search}`;
  },
  operations: { chat: {}, embeddings: {}, rerank: {} },
  probe: { tail: "/models" },
};
