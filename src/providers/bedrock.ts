/** Amazon Bedrock through its regional OpenAI-compatible endpoint and an API key: chat only (spec 4.6.5). */
import { bearerHeaders, type Provider } from "./provider.ts";

export const bedrock: Provider = {
  kind: "bedrock",
  address: ({ options }) =>
    String(
      options.base_url ?? `https://bedrock-runtime.${options.region}.amazonaws.com/openai/v1`,
    ).replace(/\/+$/, ""),
  headers: bearerHeaders,
  operations: { chat: {} },
  probe: { tail: "/models" },
};
