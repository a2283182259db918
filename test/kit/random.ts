/** Repeatable randomness: the same seed gives the same test again. */
export interface Random {
  /** 0 ≤ n < 1. */
  next: () => number;
  below: (limit: number) => number;
  pick: <T>(items: readonly T[]) => T;
}

/** mulberry32: small, fast and good enough to choose test cases. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  // An empty list is a mistake of the test that shows at once.
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  return { next, below, pick };
}
