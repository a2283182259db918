/** Cerebras: chat only. */
import { addressOr, bearer, type Provider } from "./provider.ts";

export const cerebras: Provider = {
  kind: "cerebras",
  address: addressOr("https://api.cerebras.ai/v1"),
  headers: bearer,
  operations: { chat: {} },
  probe: { tail: "/models" },
};
