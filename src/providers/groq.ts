/** Groq: chat and audio on its own host (spec 4.5). */
import { addressOr, bearer, type Provider } from "./provider.ts";

export const groq: Provider = {
  kind: "groq",
  address: addressOr("https://api.groq.com/openai/v1"),
  headers: bearer,
  operations: { chat: {}, responses: {}, audio_speech: {}, audio_transcription: {} },
  probe: { tail: "/models" },
};
