/** Whether time grows with the length of a text or with its square: what a pattern with a flaw gives away. */

const SHORT = 10_000;
const TIMES = 16;

/**
 * How many times longer a text sixteen times as long takes, beyond a pause of the machine. Linear work gives about
 * 16, quadratic 256; a test asks for less than 64.
 */
export function growth(run: (text: string) => void, make: (length: number) => string): number {
  const cost = (length: number) => {
    const text = make(length);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      const start = Bun.nanoseconds();
      run(text);
      best = Math.min(best, Bun.nanoseconds() - start);
    }
    return best;
  };
  cost(SHORT);
  return Math.max(0, cost(SHORT * TIMES) - PAUSE_NS) / cost(SHORT);
}

/** Collecting garbage, or a neighbour on the same core. A square of this length takes seconds. */
const PAUSE_NS = 100e6;
