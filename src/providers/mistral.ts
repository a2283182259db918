/** Mistral: speech requests and responses differ from the OpenAI format (spec 4.5.4). */
import { z } from "zod";
import { AppError } from "../contract/errors.ts";
import { addressOrDefault, type BufferedReply, bearerHeaders, type Provider } from "./provider.ts";

export const mistral: Provider = {
  kind: "mistral",
  address: addressOrDefault("https://api.mistral.ai/v1"),
  headers: bearerHeaders,
  operations: {
    // It rejects unknown members; streams report their usage anyway.
    chat: { translated: { user: null, stream_options: null } },
    embeddings: {},
    audio_speech: {
      // spec 4.5: `voice` is copied to `voice_id`; one the client sent itself stays.
      members: ["voice", "voice_id", "response_format"],
      add: (members) =>
        "voice" in members && !("voice_id" in members) ? { voice_id: members.voice } : {},
      reply: unwrapAudio,
    },
    audio_transcription: {},
    files: { idPrefix: "file-" },
    moderations: {},
  },
  probe: { tail: "/models" },
};

const SpeechReply = z.object({ audio_data: z.base64() });

const AUDIO_TYPES: Record<string, string> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  pcm: "audio/pcm",
  flac: "audio/flac",
  opus: "audio/ogg",
  ogg: "audio/ogg",
};

/** spec 4.5: base64 `audio_data` in JSON becomes the raw bytes that reference clients expect. */
function unwrapAudio(reply: BufferedReply, members: Record<string, unknown>): BufferedReply {
  const parsed = SpeechReply.safeParse(json(reply.bytes));
  if (!parsed.success) {
    throw new AppError("upstream_failed", "The upstream's speech reply holds no audio.");
  }
  const type = AUDIO_TYPES[String(members.response_format)] ?? "audio/mpeg";
  return {
    headers: new Map([["content-type", type]]),
    bytes: Buffer.from(parsed.data.audio_data, "base64"),
  };
}

function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
