import { expect } from "bun:test";

const SHORT = 20_000;
const TIMES = 16;
const LIMIT = 64;

/** Allowance for garbage collection and the like; a quadratic run of 20,000 takes longer. */
const FLOOR_NS = 2e6;

/**
 * Fails when the time of `run` grows with the square of its text: a text sixteen times as long takes linear work
 * about 16 times as long, quadratic work 256. A busy machine only ever adds to a time, so of each text the least
 * counts, and a bad ratio is measured again before it is believed.
 */
export async function expectLinear(
  run: (text: string) => unknown,
  make: (length: number) => string,
): Promise<void> {
  const short = make(SHORT);
  const long = make(SHORT * TIMES);
  const took = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
  await run(short); // the first run pays for compiling
  for (let round = 0; round < 10; round++) {
    took.short = Math.min(took.short, await nanoseconds(() => run(short)));
    took.long = Math.min(took.long, await nanoseconds(() => run(long)));
    if (took.long < LIMIT * Math.max(took.short, FLOOR_NS)) break;
  }

  expect(took.long / Math.max(took.short, FLOOR_NS)).toBeLessThan(LIMIT);
}

async function nanoseconds(work: () => unknown): Promise<number> {
  const began = Bun.nanoseconds();
  await work();
  return Bun.nanoseconds() - began;
}
