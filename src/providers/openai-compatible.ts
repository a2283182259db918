/** Any OpenAI-compatible server (spec 4.4 and 4.5). No files endpoint (spec 4.6.5). */
import { addressOrDefault, bearerHeaders, type Provider, referenceHeaders } from "./provider.ts";

export const openaiCompatible: Provider = {
  kind: "openai_compatible",
  address: addressOrDefault(""),
  headers: (upstream) => ({
    ...bearerHeaders(upstream),
    // The option schema allows only text here.
    ...(upstream.options.headers as Record<string, string> | undefined),
  }),
  clientHeaders: referenceHeaders,
  operations: {
    chat: {},
    responses: {},
    embeddings: {},
    images: {},
    audio_speech: {},
    audio_transcription: {},
    completions: {},
    moderations: { hasDefaultModel: true },
    rerank: {},
    stored_responses: {},
  },
  probe: { tail: "/models" },
};
