/** May this many more bytes be held in flight? Bounds what all requests keep in memory together. */

export interface ByteBudget {
  /** False, and nothing is taken, when the budget would be exceeded. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  readonly reserved: number;
}

export function createByteBudget(max: number): ByteBudget {
  let taken = 0;
  return {
    reserve(bytes) {
      if (taken + bytes > max) return false;
      taken += bytes;
      return true;
    },
    release(bytes) {
      taken -= bytes;
    },
    get reserved() {
      return taken;
    },
  };
}

/** A budget of which each holder may take only a part. */
export interface SharedByteBudget {
  /** Returns false, and takes nothing, when the holder's part or the whole would be exceeded. */
  reserve(holder: string, bytes: number): boolean;
  release(holder: string, bytes: number): void;
}

export function createSharedByteBudget(max: number, maxPerHolder: number): SharedByteBudget {
  const whole = createByteBudget(max);
  const parts = new Map<string, number>();
  return {
    reserve(holder, bytes) {
      const part = (parts.get(holder) ?? 0) + bytes;
      if (part > maxPerHolder || !whole.reserve(bytes)) return false;
      parts.set(holder, part);
      return true;
    },
    release(holder, bytes) {
      whole.release(bytes);
      const part = (parts.get(holder) ?? 0) - bytes;
      if (part > 0) parts.set(holder, part);
      else parts.delete(holder);
    },
  };
}
