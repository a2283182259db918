/** Amazon Bedrock in one region: Converse for every model, and an OpenAI-compatible endpoint for chat (spec 4.6.5). */
import { bearerHeaders, type Provider, type Upstream } from "./provider.ts";

const CHAT_PATH = "/openai/v1";

export const bedrock: Provider = {
  kind: "bedrock",
  address,
  headers: bearerHeaders,
  url: (upstream, { tail, search }, capability) =>
    capability === "converse"
      ? `${address(upstream).replace(CHAT_PATH, "")}${tail}`
      : `${address(upstream)}${tail}${search}`,
  // Both on the control plane: models to call directly, and profiles, which newer models require.
  modelList: (upstream) => ({
    urls: [
      `${controlPlane(upstream)}/foundation-models?byInferenceType=ON_DEMAND`,
      `${controlPlane(upstream)}/inference-profiles?maxResults=1000`,
    ],
    headers: bearerHeaders(upstream),
  }),
  operations: { converse: { modelInPath: () => true }, chat: {} },
  probe: { url: (upstream) => `${controlPlane(upstream)}/foundation-models` },
};

/** Returns the address that lists models, which has another host than the models. */
const controlPlane = (upstream: Upstream): string =>
  address(upstream).replace(CHAT_PATH, "").replace("//bedrock-runtime.", "//bedrock.");

function address({ options }: Upstream): string {
  const regional = `https://bedrock-runtime.${options.region}.amazonaws.com${CHAT_PATH}`;
  return String(options.base_url ?? regional).replace(/\/+$/, "");
}
