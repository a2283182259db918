/** `POST /v1/audio/transcriptions`: returns a description of the file as its transcript. */
import { z } from "zod";
import { readForm } from "./form.ts";
import { readWavSeconds } from "./wav.ts";
import { errorResponse, formatEvent, paceWords, streamEvents, validate } from "./wire.ts";

const TranscriptionFields = z.object({
  response_format: z.enum(["json", "text", "verbose_json", "srt", "vtt"]).default("json"),
  language: z.string().default("english"),
  stream: z.enum(["true", "false"]).default("false"),
});

interface Segment {
  start: number;
  end: number;
  text: string;
}

export async function handleTranscriptions(request: Request): Promise<Response> {
  const form = await readForm(request);
  if (form instanceof Response) return form;
  const fields = validate(form.fields, TranscriptionFields);
  if (fields instanceof Response) return fields;
  const file = form.files.find(({ field }) => field === "file");
  if (!file) return errorResponse(400, "Missing required parameter: 'file'.", "file");

  const seconds = readWavSeconds(file.head, file.bytes);
  const sentences = [
    `The file ${file.filename} has ${file.bytes} bytes.`,
    seconds === undefined ? "It is not a WAV file." : `It plays for ${seconds.toFixed(2)} seconds.`,
    "This is the demo model of Portcullis: it describes the file and does not recognize speech.",
  ];
  const text = sentences.join(" ");
  const duration = seconds ?? 0;
  const usage = { type: "duration", seconds: Math.ceil(duration) };
  if (fields.stream === "true") return streamEvents(deltas(text, usage));

  const segments = spread(sentences, duration);
  switch (fields.response_format) {
    case "json":
      return Response.json({ text, usage });
    case "verbose_json":
      return Response.json({
        task: "transcribe",
        language: fields.language,
        duration,
        text,
        segments: segments.map(verbose),
        usage,
      });
    case "text":
      return plain(`${text}\n`);
    case "srt":
      return plain(segments.map((one, index) => `${index + 1}\n${cue(one, ",")}`).join("\n"));
    case "vtt":
      return plain(`WEBVTT\n\n${segments.map((one) => cue(one, ".")).join("\n")}`);
  }
}

async function* deltas(text: string, usage: object) {
  for await (const delta of paceWords(text))
    yield formatEvent({ type: "transcript.text.delta", delta });
  yield formatEvent({ type: "transcript.text.done", text, usage });
}

/** Divides the duration evenly between the sentences. */
function spread(sentences: string[], duration: number): Segment[] {
  const share = duration / sentences.length;
  return sentences.map((text, index) => ({ text, start: index * share, end: (index + 1) * share }));
}

const verbose = (segment: Segment, id: number) => ({
  id,
  seek: 0,
  ...segment,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
});

const plain = (text: string): Response =>
  new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });

const cue = ({ start, end, text }: Segment, point: string): string =>
  `${stamp(start, point)} --> ${stamp(end, point)}\n${text}\n`;

function stamp(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(two).join(":");
  return `${clock}${point}${String(ms % 1000).padStart(3, "0")}`;
}
