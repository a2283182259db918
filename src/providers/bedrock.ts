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
  modelList: (upstream) => {
    const control = address(upstream)
      .replace(CHAT_PATH, "")
      .replace("//bedrock-runtime.", "//bedrock.");
    return {
      urls: [
        `${control}/foundation-models?byInferenceType=ON_DEMAND`,
        `${control}/inference-profiles?maxResults=1000`,
      ],
      headers: bearerHeaders(upstream),
    };
  },
  operations: { converse: { modelInPath: () => true }, chat: {} },
  probe: { tail: "/models" },
};

function address({ options }: Upstream): string {
  const regional = `https://bedrock-runtime.${options.region}.amazonaws.com${CHAT_PATH}`;
  return String(options.base_url ?? regional).replace(/\/+$/, "");
}
