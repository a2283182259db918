/** The aggregator (spec 4.4–4.6): generations live at the bare images path. */
import { addressOr, bearer, type Provider } from "./provider.ts";

export const openrouter: Provider = {
  kind: "openrouter",
  address: addressOr("https://openrouter.ai/api/v1"),
  headers: bearer,
  operations: {
    chat: {},
    responses: {},
    images: { tail: (tail) => (tail === "/images/generations" ? "/images" : tail) },
    audio_speech: {},
    audio_transcription: {},
    files: { idPrefix: "file-" },
  },
  probe: { tail: "/key" },
};
