/** Groq: chat and audio on its own host (spec 4.5). */
import { addressOrDefault, bearerHeaders, type Provider } from "./provider.ts";

export const groq: Provider = {
  kind: "groq",
  address: addressOrDefault("https://api.groq.com/openai/v1"),
  headers: bearerHeaders,
  operations: { chat: {}, responses: {}, audio_speech: {}, audio_transcription: {} },
  probe: { tail: "/models" },
};
