/** Seeded random numbers, so that training is repeatable. */

export interface Random {
  /** Returns a number from 0 to 1. */
  next: () => number;
  below: (limit: number) => number;
  pick: <Item>(items: readonly Item[]) => Item;
  /** Returns true with the given probability. */
  chance: (probability: number) => boolean;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
    chance: (probability) => next() < probability,
  };
}
