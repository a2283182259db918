/** Caps the bytes that all requests hold in memory together. */

export interface ByteBudget {
  /** Returns false, and reserves nothing, when the budget would be exceeded. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  readonly reserved: number;
}

export function createByteBudget(max: number): ByteBudget {
  let reserved = 0;
  return {
    reserve(bytes) {
      if (reserved + bytes > max) return false;
      reserved += bytes;
      return true;
    },
    release(bytes) {
      reserved -= bytes;
    },
    get reserved() {
      return reserved;
    },
  };
}

/** A budget with a second cap for each holder. */
export interface SharedByteBudget {
  /** Returns false, and reserves nothing, when the holder's cap or the total cap would be exceeded. */
  reserve(holder: string, bytes: number): boolean;
  release(holder: string, bytes: number): void;
}

export function createSharedByteBudget(max: number, maxPerHolder: number): SharedByteBudget {
  const total = createByteBudget(max);
  const byHolder = new Map<string, number>();
  return {
    reserve(holder, bytes) {
      const held = (byHolder.get(holder) ?? 0) + bytes;
      if (held > maxPerHolder || !total.reserve(bytes)) return false;
      byHolder.set(holder, held);
      return true;
    },
    release(holder, bytes) {
      total.release(bytes);
      const held = (byHolder.get(holder) ?? 0) - bytes;
      if (held > 0) byHolder.set(holder, held);
      else byHolder.delete(holder);
    },
  };
}
