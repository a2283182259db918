/** The same as growth.ts for work that lets others run in between. */

const SHORT = 20_000;
const TIMES = 16;
const PAUSE_MS = 150;

/** Linear work gives about 16, quadratic 256; a test asks for less than 64. */
export async function asyncGrowth(
  run: (text: string) => Promise<unknown>,
  make: (length: number) => string,
): Promise<number> {
  const cost = async (length: number) => {
    const text = make(length);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      const started = performance.now();
      await run(text);
      best = Math.min(best, performance.now() - started);
    }
    return best;
  };
  await cost(SHORT);
  return Math.max(0, (await cost(SHORT * TIMES)) - PAUSE_MS) / (await cost(SHORT));
}
