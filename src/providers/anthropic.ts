/** Anthropic: its own key header and a fixed version header; responses keep its format (spec 4.6.4). */
import { addressOrDefault, type Provider } from "./provider.ts";

export const anthropic: Provider = {
  kind: "anthropic",
  address: addressOrDefault("https://api.anthropic.com/v1"),
  headers: ({ api_key }) => ({
    ...(api_key === null ? {} : { "x-api-key": api_key }),
    "anthropic-version": "2023-06-01",
  }),
  // spec 4.6: no beta header on files.
  clientHeaders: (capability) => (capability === "files" ? [] : ["anthropic-beta"]),
  operations: { chat: {}, messages: {}, files: { idPrefix: "file_" } },
  probe: { tail: "/models" },
};
