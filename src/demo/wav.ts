/** Encodes tones as 16-bit PCM or WAV, and reads the duration of a WAV file. */
import { BLOCK_SAMPLES, type Note, pitchOf, SAMPLE_RATE } from "./compose-notes.ts";

const BYTES_PER_SAMPLE = 2;
const LOUDNESS = 32767 / 3;
const FADE_SAMPLES = 240; // 10 ms, avoids clicks

export function encodePcm(notes: Note[]): Buffer {
  const total = notes.reduce((sum, { blocks }) => sum + blocks * BLOCK_SAMPLES, 0);
  const bytes = Buffer.alloc(total * BYTES_PER_SAMPLE);
  let offset = 0;
  for (const { line, blocks } of notes) {
    const length = blocks * BLOCK_SAMPLES;
    const turn = (2 * Math.PI * pitchOf(line)) / SAMPLE_RATE;
    for (let at = 0; at < length; at += 1) {
      const fade = Math.min(1, at / FADE_SAMPLES, (length - at) / FADE_SAMPLES);
      offset = bytes.writeInt16LE(Math.round(Math.sin(turn * at) * fade * LOUDNESS), offset);
    }
  }
  return bytes;
}

export function encodeWav(notes: Note[]): Buffer {
  const samples = encodePcm(notes);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // mono
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Reads the duration from the header; undefined if the file is not WAV or its header exceeds `head`. */
export function readWavSeconds(head: Buffer, fileBytes: number): number | undefined {
  if (head.toString("latin1", 0, 4) !== "RIFF" || head.toString("latin1", 8, 12) !== "WAVE") return;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const kind = head.toString("latin1", at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (kind === "fmt " && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
    if (kind === "data" && bytesPerSecond > 0) {
      // Streaming recorders write a larger size; the file size is the limit.
      return Math.min(size, fileBytes - at - 8) / bytesPerSecond;
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}
