/** xAI: chat and files. Its voice API uses another protocol and is not supported (spec 4.5.5). */
import { addressOr, bearer, type Provider } from "./provider.ts";

export const xai: Provider = {
  kind: "xai",
  address: addressOr("https://api.x.ai/v1"),
  headers: bearer,
  operations: { chat: {}, responses: {}, files: { idPrefix: "file-" } },
  probe: { tail: "/models" },
};
