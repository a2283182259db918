/** `POST /v1/audio/speech`: a tune made from the text, as MP3 (the default), WAV or raw PCM. */
import { z } from "zod";
import { composeNotes } from "./compose-notes.ts";
import { encodeMp3 } from "./mp3.ts";
import { encodePcm, encodeWav } from "./wav.ts";
import { readJson } from "./wire.ts";

const SpeechRequest = z.object({
  input: z.string().min(1).max(4096),
  voice: z.union([z.string(), z.object({ id: z.string() })]).default("alloy"),
  response_format: z.enum(["mp3", "wav", "pcm", "opus", "aac", "flac"]).default("mp3"),
  speed: z.number().min(0.25).max(4).default(1),
});

export async function handleSpeech(request: Request): Promise<Response> {
  const body = await readJson(request, SpeechRequest);
  if (body instanceof Response) return body;
  const voice = typeof body.voice === "string" ? body.voice : body.voice.id;
  const tune = composeNotes(body.input, voice, body.speed);
  switch (body.response_format) {
    case "mp3":
      return audio(encodeMp3(tune), "audio/mpeg");
    case "pcm":
      return audio(encodePcm(tune), "audio/pcm");
    default: // Opus, AAC and FLAC are not supported: returns WAV with its content type
      return audio(encodeWav(tune), "audio/wav");
  }
}

const audio = (bytes: Buffer, type: string): Response =>
  new Response(new Uint8Array(bytes), { headers: { "content-type": type } });
