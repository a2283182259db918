/** A tone has the requested pitch, and the WAV reader skips chunks before the audio. */
import { expect, test } from "bun:test";
import { encodePcm, encodeWav, readWavSeconds } from "./wav.ts";

test("a note crosses zero twice for each wave of its pitch", () => {
  const bytes = encodePcm([{ line: 24, blocks: 50 }]); // 1.2 seconds of 500 Hz

  const samples = [...new Int16Array(Uint8Array.from(bytes).buffer)];
  const crossings = samples.filter((sample, at) => sample >= 0 && (samples[at - 1] ?? 0) < 0);
  expect(crossings.length).toBeGreaterThanOrEqual(598);
  expect(crossings.length).toBeLessThanOrEqual(601);
});

test("the length is measured from the header, other chunks skipped", () => {
  const file = encodeWav([{ line: 0, blocks: 50 }]);
  const list = Buffer.from("LIST\x03\x00\x00\x00abc\x00", "latin1"); // odd sizes are padded
  const longer = Buffer.concat([file.subarray(0, 36), list, file.subarray(36)]);

  expect(readWavSeconds(file.subarray(0, 100), file.length)).toBe(1.2);
  expect(readWavSeconds(longer.subarray(0, 100), longer.length)).toBe(1.2);
});

test.each([
  ["nothing", ""],
  ["another kind", "ID3 and more bytes than a header has"],
  ["a header cut off", "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00"],
  ["sound before its format", "RIFF\x00\x00\x00\x00WAVEdata\x10\x00\x00\x00"],
])("%s has no length", (_, text) => {
  expect(readWavSeconds(Buffer.from(text, "latin1"), 1000)).toBeUndefined();
});
