/** Composes a tune from text: one note per word, with the pitch from the word and the duration from its length. */

/** `line` * 24000 / 1152 is the pitch in Hz, 0 a pause; a block is 576 samples, 24 ms. */
export interface Note {
  line: number;
  blocks: number;
}

export const SAMPLE_RATE = 24_000;
export const BLOCK_SAMPLES = 576;
export const pitchOf = (line: number): number => (line * SAMPLE_RATE) / (2 * BLOCK_SAMPLES);

const MAX_BLOCKS = 1250; // 30 seconds
/** 125 to 1000 Hz; each far enough from a multiple of 18 to sound clean in an MP3 (see mp3.ts). */
const LINES = [6, 8, 10, 12, 24, 26, 28, 30, 42, 44, 46, 48];

export function composeNotes(text: string, voice: string, speed: number): Note[] {
  const words = text.split(/\s+/).filter(Boolean);
  const tune = words.flatMap((word): Note[] => [
    {
      line: lineOf(word.toLowerCase(), voice),
      blocks: lengthOf(3 + Math.min(word.length, 9), speed),
    },
    { line: 0, blocks: lengthOf(/[.,:;!?]$/.test(word) ? 8 : 2, speed) },
  ]);
  let left = MAX_BLOCKS;
  const bounded = tune.map(({ line, blocks }) => {
    const taken = Math.min(blocks, left);
    left -= taken;
    return { line, blocks: taken };
  });
  return bounded.filter(({ blocks }) => blocks > 0);
}

const lineOf = (word: string, voice: string): number =>
  LINES[Bun.hash.xxHash32(`${voice} ${word}`) % LINES.length] ?? 24;

const lengthOf = (blocks: number, speed: number): number => Math.max(1, Math.round(blocks / speed));
