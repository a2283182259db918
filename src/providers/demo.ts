/** The built-in demo upstream: every capability, no paid key. Its address is this process's own. */
import { addressOrDefault, type Provider } from "./provider.ts";

export const demo: Provider = {
  kind: "demo",
  address: addressOrDefault(""),
  headers: () => ({ authorization: "Bearer demo" }),
  // Its files have Anthropic's shape for a client of Anthropic's.
  clientHeaders: () => ["openai-beta", "anthropic-version"],
  models: ["demo-chat", "demo-embedding", "demo-image", "demo-speech", "demo-transcribe"],
  operations: {
    chat: {},
    responses: {},
    messages: {},
    embeddings: {},
    images: {},
    audio_speech: {},
    audio_transcription: {},
    files: { idPrefix: "file-" },
  },
  probe: { tail: "/models" },
};
