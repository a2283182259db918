/** DeepSeek: chat only. */
import { addressOr, bearer, type Provider } from "./provider.ts";

export const deepseek: Provider = {
  kind: "deepseek",
  address: addressOr("https://api.deepseek.com/v1"),
  headers: bearer,
  operations: { chat: {} },
  probe: { tail: "/models" },
};
