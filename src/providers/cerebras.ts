/** Cerebras: chat and completions. */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

export const cerebras: Provider = {
  kind: "cerebras",
  address: addressOrDefault("https://api.cerebras.ai/v1"),
  headers: bearerHeaders,
  operations: { chat: {}, completions: {} },
  probe: { tail: "/models" },
};
