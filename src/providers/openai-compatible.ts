/** A custom server that speaks the reference format (spec 4.4, 4.5). No files: ids would not be its own. */
import { addressOr, bearer, type Provider, referenceHeaders } from "./provider.ts";

export const openaiCompatible: Provider = {
  kind: "openai_compatible",
  address: addressOr(""),
  headers: (upstream) => ({
    ...bearer(upstream),
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
  },
  probe: { tail: "/models" },
};
