/** May this many more bytes be held in flight? Bounds what all requests keep in memory together. */

export interface ByteBudget {
  /** False, and nothing is taken, when the budget would be exceeded. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  readonly taken: number;
}

export function createByteBudget(max: number): ByteBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > max) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
    get taken() {
      return taken;
    },
  };
}
