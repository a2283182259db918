/** The built-in demo upstream: every capability, no paid key. Its address is this process's own. */
import { addressOr, type Provider, referenceHeaders } from "./provider.ts";

export const demo: Provider = {
  kind: "demo",
  address: addressOr(""),
  headers: () => ({ authorization: "Bearer demo" }),
  clientHeaders: referenceHeaders,
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
