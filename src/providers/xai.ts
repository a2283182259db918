/** xAI: chat, responses and files. Its voice API uses another protocol and is not supported (spec 4.5.5). */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

export const xai: Provider = {
  kind: "xai",
  address: addressOrDefault("https://api.x.ai/v1"),
  headers: bearerHeaders,
  operations: {
    chat: {},
    responses: {},
    files: { idPrefix: "file-" },
    completions: {},
    stored_responses: {},
  },
  probe: { tail: "/models" },
};
