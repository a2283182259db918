/** Anthropic: its own key header and a fixed version header; responses keep its format (spec 4.6.4). */
import { addressOrDefault, type Provider, type Upstream } from "./provider.ts";

const address = addressOrDefault("https://api.anthropic.com/v1");
const headers = ({ api_key }: Upstream): Record<string, string> => ({
  ...(api_key === null ? {} : { "x-api-key": api_key }),
  "anthropic-version": "2023-06-01",
});

export const anthropic: Provider = {
  kind: "anthropic",
  address,
  headers,
  modelList: (upstream) => ({
    urls: [`${address(upstream)}/models?limit=1000`],
    headers: headers(upstream),
  }),
  // spec 4.6: no beta header on files.
  clientHeaders: (capability) => (capability === "files" ? [] : ["anthropic-beta"]),
  operations: {
    messages: {},
    chat: {},
    files: { idPrefix: "file_" },
    count_tokens: {},
    message_batches: {},
  },
  probe: { tail: "/models" },
};
