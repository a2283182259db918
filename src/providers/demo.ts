/** The built-in demo upstream: every capability without a paid key, served by this process. */
import { addressOrDefault, createGeminiOperations, type Provider } from "./provider.ts";

const address = addressOrDefault("");

export const demo: Provider = {
  kind: "demo",
  address,
  headers: () => ({ authorization: "Bearer demo" }),
  // It returns files in Anthropic's format to clients of Anthropic.
  clientHeaders: () => ["openai-beta", "anthropic-version"],
  operations: {
    chat: {},
    responses: {},
    messages: {},
    ...createGeminiOperations((upstream) => `${address(upstream)}beta`),
    embeddings: {},
    images: {},
    audio_speech: {},
    audio_transcription: {},
    files: { idPrefix: "file-" },
    completions: {},
    moderations: { hasDefaultModel: true },
    count_tokens: {},
  },
  probe: { tail: "/models" },
};
