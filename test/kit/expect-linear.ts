import { expect } from "bun:test";

const SHORT = 20_000;
const TIMES = 16;
const LIMIT = 64;

/** Allowance for garbage collection and the like; a quadratic run of 20,000 takes longer. */
const FLOOR_US = 2_000;

/**
 * Fails when the time of `run` grows with the square of its text: a text sixteen times as long takes linear work
 * about 16 times as long, quadratic work 256. CPU time, because others delay the process on a busy machine. Compiling
 * and garbage collection only ever add to it, so of each text the least counts, and a bad ratio is measured again.
 */
export async function expectLinear<Input = string>(
  run: (input: Input) => unknown,
  make: (length: number) => Input,
): Promise<void> {
  const short = make(SHORT);
  const long = make(SHORT * TIMES);
  const took = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
  await run(short); // the first run pays for compiling
  for (let round = 0; round < 10; round++) {
    took.short = Math.min(took.short, await cpuMicroseconds(() => run(short)));
    took.long = Math.min(took.long, await cpuMicroseconds(() => run(long)));
    if (took.long < LIMIT * Math.max(took.short, FLOOR_US)) break;
  }

  expect(took.long / Math.max(took.short, FLOOR_US)).toBeLessThan(LIMIT);
}

async function cpuMicroseconds(work: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  return user + system;
}
