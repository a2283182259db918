/** OpenRouter: image generations are at the bare images path (spec 4.4, 4.5 and 4.6). */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

export const openrouter: Provider = {
  kind: "openrouter",
  address: addressOrDefault("https://openrouter.ai/api/v1"),
  headers: bearerHeaders,
  operations: {
    chat: {},
    responses: {},
    images: { tail: (tail) => (tail === "/images/generations" ? "/images" : tail) },
    audio_speech: {},
    audio_transcription: {},
    files: { idPrefix: "file-" },
    completions: {},
  },
  probe: { tail: "/key" },
};
