/** DeepSeek: chat only. */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

export const deepseek: Provider = {
  kind: "deepseek",
  address: addressOrDefault("https://api.deepseek.com/v1"),
  headers: bearerHeaders,
  operations: { chat: {} },
  probe: { tail: "/models" },
};
