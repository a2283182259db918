/** Provider X (spec 4.6): chat and files. Its voice has a wire of its own and is left out (spec 4.5). */
import { addressOr, bearer, type Provider } from "./provider.ts";

export const xai: Provider = {
  kind: "xai",
  address: addressOr("https://api.x.ai/v1"),
  headers: bearer,
  operations: { chat: {}, responses: {}, files: { idPrefix: "file-" } },
  probe: { tail: "/models" },
};
