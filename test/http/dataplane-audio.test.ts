/** Audio: speech and transcription (spec 4.5). */
import { expect, test } from "bun:test";
import { type Attach, type FormPart, formBytes, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const SPEECH = "/v1/audio/speech";
const TRANSCRIPTIONS = "/v1/audio/transcriptions";
const SAY = { model: "tts-1", input: "hi", voice: "alloy" };
const MP3 = Buffer.from([0xff, 0xfb, 0x00, 0x0a, 0x0d, 0x80, 0x00]);
const RECORDING: FormPart[] = [
  ["file", "RIFF....", "a.wav"],
  ["model", "whisper-1"],
];

async function setUp(attach: (url: string) => Attach[], script: Script) {
  const upstream = startUpstream(script);
  const consumer = await makeConsumer(await kit(), attach(upstream.url));
  return { ...consumer, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

const audio = { headers: { "content-type": "audio/mpeg" }, body: MP3 };
const text = { body: { text: "hello" } };

test("4.5.2 speech returns the upstream's bytes and content type", async () => {
  await using one = await setUp((url) => [{ provider: "openai", url: `${url}/v1` }], audio);

  const reply = await one.post(SPEECH, SAY);

  expect(reply.headers.get("content-type")).toBe("audio/mpeg");
  expect(Buffer.from(await reply.bytes()).equals(MP3)).toBe(true);
  expect(one.upstream.hits[0]?.path).toBe("/v1/audio/speech");
});

test("4.5.1 a transcription's form arrives unchanged, also with the model after the file", async () => {
  await using one = await setUp((url) => [{ provider: "openai", url: `${url}/v1` }], text);

  const reply = await one.form(TRANSCRIPTIONS, RECORDING);

  expect(await reply.json()).toEqual({ text: "hello" });
  expect(one.upstream.hits[0]?.path).toBe("/v1/audio/transcriptions");
  expect(one.upstream.hits[0]?.body.equals(formBytes(RECORDING))).toBe(true);
});

test.each<[string, Attach, string, string]>([
  [
    "Azure",
    { provider: "azure", url: "" },
    "/openai/deployments/tts-1/audio/speech",
    "/openai/deployments/whisper-1/audio/transcriptions",
  ],
  [
    "an OpenAI-compatible API",
    { provider: "openai_compatible", url: "/b" },
    "/b/audio/speech",
    "/b/audio/transcriptions",
  ],
  [
    "Groq",
    { provider: "groq", url: "/openai/v1" },
    "/openai/v1/audio/speech",
    "/openai/v1/audio/transcriptions",
  ],
  [
    "OpenRouter",
    { provider: "openrouter", url: "/api/v1" },
    "/api/v1/audio/speech",
    "/api/v1/audio/transcriptions",
  ],
])(
  "4.5.1 %s gets speech and transcriptions at its own paths",
  async (_, attached, speech, transcription) => {
    await using one = await setUp((url) => [{ ...attached, url: url + attached.url }], text);

    await one.post(SPEECH, SAY);
    await one.form(TRANSCRIPTIONS, RECORDING);

    expect(one.upstream.hits.map(({ path }) => path)).toEqual([speech, transcription]);
  },
);

const mistral = (url: string): Attach[] => [{ provider: "mistral", url: `${url}/v1` }];
const wrapped = { body: { audio_data: MP3.toString("base64") } };

test("4.5.4 Mistral gets voice_id, and its base64 is returned as bytes", async () => {
  await using one = await setUp(mistral, wrapped);

  const reply = await one.post(SPEECH, '{"model":"m","input":"hi","voice":"x"}');

  expect(one.upstream.hits[0]?.path).toBe("/v1/audio/speech");
  expect(one.upstream.hits[0]?.body.toString()).toBe(
    '{"model":"m","input":"hi","voice":"x","voice_id":"x"}',
  );
  expect(reply.headers.get("content-type")).toBe("audio/mpeg");
  expect(Buffer.from(await reply.bytes()).equals(MP3)).toBe(true);
});

test("4.5.4 a voice_id of the client is kept", async () => {
  await using one = await setUp(mistral, wrapped);

  await one.post(SPEECH, { model: "m", voice: "x", voice_id: "own" });

  expect(JSON.parse(one.upstream.hits[0]?.body.toString() ?? "")).toEqual({
    model: "m",
    voice: "x",
    voice_id: "own",
  });
});

test("4.5.4 a pinned Mistral registry gets both changes", async () => {
  await using one = await setUp(mistral, wrapped);

  await one.post(SPEECH, '{"model":"@mistral/m","voice":"x"}');

  expect(one.upstream.hits[0]?.body.toString()).toBe('{"model":"m","voice":"x","voice_id":"x"}');
});

test("4.5.4 the type follows response_format", async () => {
  await using one = await setUp(mistral, wrapped);

  const reply = await one.post(SPEECH, { model: "m", voice: "x", response_format: "wav" });

  expect(reply.headers.get("content-type")).toBe("audio/wav");
});

test("4.5.4 Mistral's errors are relayed unchanged", async () => {
  await using one = await setUp(mistral, { status: 400, body: { detail: "no such voice" } });

  const reply = await one.post(SPEECH, SAY);

  expect(reply.status).toBe(400);
  expect(await reply.json()).toEqual({ detail: "no such voice" });
});

test("4.5.4 speech that Mistral streams is not buffered: each event is relayed when it is sent", async () => {
  const next = Promise.withResolvers<void>();
  const events = ['data: {"type":"speech.audio.delta"}\n\n', "data: [DONE]\n\n"] as const;
  await using one = await setUp(mistral, {
    headers: { "content-type": "text/event-stream" },
    chunks: [events[0], next.promise, events[1]],
  });

  const reply = await one.post(SPEECH, { model: "m", voice: "x", stream: true });
  const reader = reply.body?.getReader();
  const first = await reader?.read();
  next.resolve();

  expect(Buffer.from(first?.value ?? []).toString()).toBe(events[0]);
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(events[1]);
});

test("4.5.4 a Mistral response without audio is a 502", async () => {
  await using one = await setUp(mistral, { body: { something: "else" } });

  const reply = await one.post(SPEECH, SAY);

  expect(reply.status).toBe(502);
});

test("4.7.1 a registry without audio gets no audio requests", async () => {
  await using anthropic = startUpstream();
  await using one = await setUp(
    (url) => [
      { provider: "anthropic", url: anthropic.url },
      { provider: "openai", url },
    ],
    audio,
  );

  for (let n = 0; n < 4; n++) await one.post(SPEECH, SAY);

  expect([one.upstream.hits.length, anthropic.hits.length]).toEqual([4, 0]);
});

test.each([
  ["Anthropic", "@anthropic/claude", "anthropic"],
  ["xAI", "@xai/grok", "xai"],
])("4.7.3 a pin to %s, which has no audio, is a 400", async (_, model, provider) => {
  await using other = startUpstream();
  await using one = await setUp(
    (url) => [
      { provider: "openai", url },
      { provider, url: other.url },
    ],
    audio,
  );

  const speech = await one.post(SPEECH, { ...SAY, model });
  const form = await one.form(TRANSCRIPTIONS, [
    ["file", "x", "a.wav"],
    ["model", model],
  ]);

  expect([speech.status, form.status]).toEqual([400, 400]);
  expect(await speech.text()).toContain("does not support this capability");
  expect(await form.text()).toContain("does not support this capability");
  expect([one.upstream.hits.length, other.hits.length]).toEqual([0, 0]);
});

test("4.5.5 xAI never receives audio requests", async () => {
  await using one = await setUp((url) => [{ provider: "xai", url }], audio);

  const speech = await one.post(SPEECH, SAY);
  const transcription = await one.form(TRANSCRIPTIONS, RECORDING);

  expect([speech.status, transcription.status]).toEqual([503, 503]);
  expect(one.upstream.hits.length).toBe(0);
});

test.each([
  ["GET", SPEECH, 400],
  ["GET", TRANSCRIPTIONS, 400],
  ["POST", "/v1/audio/translations", 404],
  ["POST", "/v1/audio/speech/extra", 404],
  ["POST", "/v1/audio", 404],
])("4.5.3 %s %s is a %d", async (method, path, status) => {
  await using one = await setUp((url) => [{ provider: "openai", url }], audio);

  const reply = await one.call(path, { method });

  expect(reply.status).toBe(status);
});

test("4.7.4 an audio request without a capable registry is a 503", async () => {
  await using one = await setUp((url) => [{ provider: "anthropic", url }], audio);

  const reply = await one.post(SPEECH, SAY);

  expect(reply.status).toBe(503);
});

test("4.5.3 a streamed transcription stays a stream, event by event", async () => {
  const next = Promise.withResolvers<void>();
  const events = ['data: {"type":"transcript.text.delta"}\n\n', "data: [DONE]\n\n"] as const;
  await using one = await setUp((url) => [{ provider: "openai", url }], {
    headers: { "content-type": "text/event-stream" },
    chunks: [events[0], next.promise, events[1]],
  });

  const reply = await one.form(TRANSCRIPTIONS, [...RECORDING, ["stream", "true"]]);
  const reader = reply.body?.getReader();
  const first = await reader?.read();
  next.resolve();

  expect(reply.headers.get("content-type")).toBe("text/event-stream");
  expect(Buffer.from(first?.value ?? []).toString()).toBe(events[0]);
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(events[1]);
});
