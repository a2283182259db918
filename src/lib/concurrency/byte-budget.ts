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

/** A budget of which each holder may take only a part. */
export interface SharedByteBudget {
  /** Returns false, and takes nothing, when the holder's part or the whole would be exceeded. */
  take(holder: string, bytes: number): boolean;
  give(holder: string, bytes: number): void;
}

export function createSharedByteBudget(max: number, maxPerHolder: number): SharedByteBudget {
  const whole = createByteBudget(max);
  const parts = new Map<string, number>();
  return {
    take(holder, bytes) {
      const part = (parts.get(holder) ?? 0) + bytes;
      if (part > maxPerHolder || !whole.take(bytes)) return false;
      parts.set(holder, part);
      return true;
    },
    give(holder, bytes) {
      whole.give(bytes);
      const part = (parts.get(holder) ?? 0) - bytes;
      if (part > 0) parts.set(holder, part);
      else parts.delete(holder);
    },
  };
}
