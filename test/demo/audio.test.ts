/** Speech and transcription of the demo upstream: real audio out, and a true account of audio in. */
import { expect, test } from "bun:test";
import { eventsOf, formOf, startDemo } from "./start-demo.ts";

async function speak(more: object) {
  await using demo = startDemo();
  const response = await demo.post("audio/speech", {
    input: "Hello there, demo.",
    voice: "alloy",
    ...more,
  });
  return {
    type: response.headers.get("content-type"),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

test("wav is a RIFF file with a correct header and audio", async () => {
  const { type, bytes } = await speak({ response_format: "wav" });

  const samples = new Int16Array(Uint8Array.from(bytes.subarray(44)).buffer);
  expect(type).toBe("audio/wav");
  expect(bytes.toString("latin1", 0, 4) + bytes.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
  expect(bytes.readUInt32LE(24)).toBe(24_000);
  expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
  expect(Math.max(...samples)).toBeGreaterThan(10_000);
  expect(Math.max(...samples)).toBeLessThan(12_000);
});

test("pcm is the same sound without the header", async () => {
  const wav = await speak({ response_format: "wav" });
  const pcm = await speak({ response_format: "pcm" });

  expect(pcm.type).toBe("audio/pcm");
  expect(pcm.bytes.equals(wav.bytes.subarray(44))).toBe(true);
});

test("mp3 is the default: whole Layer III frames, as long as the WAV plays", async () => {
  const mp3 = await speak({});
  const wav = await speak({ response_format: "wav" });

  const frames = mp3.bytes.length / 24;
  const starts = Array.from({ length: frames }, (_, at) => mp3.bytes.readUInt32BE(at * 24));
  expect(mp3.type).toBe("audio/mpeg");
  expect(new Set(starts)).toEqual(new Set([0xfff314c0]));
  expect(frames * 576 * 2).toBe(wav.bytes.length - 44);
});

test("an unsupported format returns WAV with its content type", async () => {
  const { type, bytes } = await speak({ response_format: "opus" });

  expect(type).toBe("audio/wav");
  expect(bytes.toString("latin1", 0, 4)).toBe("RIFF");
});

test("speed shortens the audio; voice and text change it; the same input produces the same audio", async () => {
  const usual = await speak({});
  const again = await speak({});
  const quick = await speak({ speed: 2 });
  const voice = await speak({ voice: { id: "nova" } });
  const text = await speak({ input: "Goodbye then, audio." });

  expect(again.bytes.equals(usual.bytes)).toBe(true);
  expect(quick.bytes.length).toBeLessThan(usual.bytes.length * 0.6);
  expect(voice.bytes.equals(usual.bytes)).toBe(false);
  expect(text.bytes.equals(usual.bytes)).toBe(false);
});

test("audio is at most half a minute long", async () => {
  const { bytes } = await speak({
    input: "word ".repeat(800),
    response_format: "wav",
    speed: 0.25,
  });

  expect(bytes.length).toBe(44 + 30 * 24_000 * 2);
});

async function transcribe(fields: Record<string, string>) {
  await using demo = startDemo();
  const { bytes } = await speak({ response_format: "wav" });
  const file = new File([bytes], "hello.wav", { type: "audio/wav" });
  const response = await demo.form("audio/transcriptions", { ...fields, file, model: "any" });
  const seconds = (bytes.length - 44) / 48_000;
  return {
    text: await response.text(),
    type: response.headers.get("content-type"),
    seconds,
    bytes,
  };
}

test("the transcript contains the name, the size and the duration of the WAV", async () => {
  const { text, seconds, bytes } = await transcribe({});

  const response = JSON.parse(text);
  expect(response.text).toContain(`The file hello.wav has ${bytes.length} bytes.`);
  expect(response.text).toContain(`It plays for ${seconds.toFixed(2)} seconds.`);
  expect(response.usage).toEqual({ type: "duration", seconds: Math.ceil(seconds) });
});

test("verbose_json has segments that cover the duration", async () => {
  const { text, seconds } = await transcribe({ response_format: "verbose_json" });

  const response = JSON.parse(text);
  expect(response).toMatchObject({ task: "transcribe", duration: seconds });
  expect(response.segments[0].start).toBe(0);
  expect(response.segments.at(-1).end).toBeCloseTo(seconds, 6);
});

test("text, srt and vtt are plain text in their forms", async () => {
  const text = await transcribe({ response_format: "text" });
  const srt = await transcribe({ response_format: "srt" });
  const vtt = await transcribe({ response_format: "vtt" });

  expect(text.type).toStartWith("text/plain");
  expect(text.text).toStartWith("The file hello.wav has");
  expect(srt.text).toMatch(/^1\n00:00:00,000 --> 00:00:00,\d{3}\nThe file hello\.wav .*\n\n2\n/);
  expect(vtt.text).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:00\.\d{3}\nThe file hello\.wav /);
});

test("stream=true sends the transcript in deltas and then whole", async () => {
  const streamed = await transcribe({ stream: "true" });

  const events = eventsOf(streamed.text);
  const deltas = events.slice(0, -1);
  expect(streamed.type).toStartWith("text/event-stream");
  expect(new Set(deltas.map(({ type }) => type))).toEqual(new Set(["transcript.text.delta"]));
  expect(events.at(-1).type).toBe("transcript.text.done");
  expect(deltas.map(({ delta }) => delta).join("")).toBe(events.at(-1).text);
});

test("a file that is not WAV, and an incomplete WAV, are described as such", async () => {
  await using demo = startDemo();
  const { bytes } = await speak({ response_format: "wav" });
  const streamed = Buffer.from(bytes);
  streamed.writeUInt32LE(0xffffffff, 40);
  const describeFile = async (file: File) => {
    const response = await demo.get("audio/transcriptions", {
      method: "POST",
      body: formOf({ file }),
    });
    return (await response.json()).text;
  };

  expect(await describeFile(new File(["ID3"], "song.mp3"))).toContain("It is not a WAV file.");
  expect(await describeFile(new File([streamed], "live.wav"))).toContain(
    `It plays for ${((bytes.length - 44) / 48_000).toFixed(2)} seconds.`,
  );
});
