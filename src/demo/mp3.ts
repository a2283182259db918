/** Encodes tones as MP3 (MPEG-2 Layer III, 24 kHz, mono, 8 kbit/s). */
import type { Note } from "./compose-notes.ts";

const FRAME_BYTES = 24; // 72 * 8000 / 24000
const HEADER = "111111111111001100010100" + "11000000"; // no CRC, 8 kbit/s, 24 kHz, mono
const GAIN = 204; // 2 ** ((204 - 210) / 4): about a third of full scale

/**
 * One Layer III frame at this rate contains one block of 576 spectral lines. A single line with the same value in every
 * block produces a pure tone: adjacent blocks are windowed by a sine and a cosine with a phase difference of 90°, so
 * their overlap is a wave of constant amplitude at `line` * 24000 / 1152 Hz. This applies to even lines; lines near a
 * multiple of 18 (the edge of a filter band) would ring.
 */
export function encodeMp3(notes: Note[]): Buffer {
  return Buffer.concat(
    notes.flatMap(({ line, blocks }) => Array<Buffer>(blocks).fill(frame(line))),
  );
}

function frame(line: number): Buffer {
  const pairs = line === 0 ? 0 : line / 2 + 1;
  // Huffman table 1: "1" is the pair (0,0); "01" and a sign bit is the pair (+1,0).
  const lines = pairs === 0 ? "" : `${"1".repeat(pairs - 1)}010`;
  const side = [
    bits(0, 9), // main data starts in this frame; private bit
    bits(lines.length, 12),
    bits(pairs, 9),
    bits(GAIN, 8),
    bits(0, 9), // no scale factors
    bits(0, 1), // long blocks
    bits(1, 5) + bits(1, 5) + bits(1, 5), // table 1 in all three regions
    bits(0, 4 + 3 + 1 + 1),
  ].join("");
  const all = (HEADER + side + lines).padEnd(FRAME_BYTES * 8, "0");
  return Buffer.from(all.match(/.{8}/g)?.map((octet) => Number.parseInt(octet, 2)) ?? []);
}

const bits = (value: number, width: number) => value.toString(2).padStart(width, "0");
