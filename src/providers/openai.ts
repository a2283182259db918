/** OpenAI: every path as the client sent it (spec 4.4, 4.5 and 4.6). */
import { addressOrDefault, bearerHeaders, type Provider, referenceHeaders } from "./provider.ts";

export const openai: Provider = {
  kind: "openai",
  address: addressOrDefault("https://api.openai.com/v1"),
  headers: bearerHeaders,
  clientHeaders: referenceHeaders,
  operations: {
    // Reasoning models reject `max_tokens`.
    chat: { translated: { max_tokens: "max_completion_tokens" } },
    responses: {},
    embeddings: {},
    images: {},
    audio_speech: {},
    audio_transcription: {},
    files: { idPrefix: "file-" },
    completions: {},
    moderations: { hasDefaultModel: true },
    response_context: {},
    stored_responses: {},
    conversations: {},
    uploads: {},
    batches: {},
  },
  probe: { tail: "/models" },
};
