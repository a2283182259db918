/** Google Vertex AI: the Gemini API, and chat through its OpenAI-compatible endpoint, with a Google Cloud identity. */
import { bearerHeaders, createGeminiOperations, type Provider, type Upstream } from "./provider.ts";

export const vertex: Provider = {
  kind: "vertex",
  address: vertexAddress,
  headers: bearerHeaders,
  // Google's own models; only this version of the API lists them.
  modelList: (upstream) => ({
    urls: [`${vertexHost(upstream)}/v1beta1/publishers/google/models?pageSize=200`],
    headers: {},
  }),
  operations: {
    ...createGeminiOperations((upstream) => `${vertexAddress(upstream)}/publishers/google`),
    chat: { tail: (tail) => `/endpoints/openapi${tail}` },
  },
  probe: { tail: "/models" },
};

/** Returns the URL of the location in the project, below which models and endpoints are. */
function vertexAddress(upstream: Upstream): string {
  const { project, location, version } = upstream.options;
  return `${vertexHost(upstream)}/${version}/projects/${project}/locations/${location}`;
}

function vertexHost({ options: { location, base_url } }: Upstream): string {
  const host = location === "global" ? "" : `${location}-`;
  return String(base_url ?? `https://${host}aiplatform.googleapis.com`).replace(/\/+$/, "");
}
