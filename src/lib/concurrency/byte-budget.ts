/** Caps the bytes that all requests hold in memory together, and counts those of each holder. */

export interface ByteBudget {
  readonly max: number;
  /** Bytes of all holders. */
  readonly reserved: number;
  heldBy(holder: string): number;
  /** Returns false, and reserves nothing, when the budget would be exceeded. */
  reserve(holder: string, bytes: number): boolean;
  release(holder: string, bytes: number): void;
}

export function createByteBudget(max: number): ByteBudget {
  let reserved = 0;
  const byHolder = new Map<string, number>();
  const heldBy = (holder: string): number => byHolder.get(holder) ?? 0;
  return {
    max,
    get reserved() {
      return reserved;
    },
    heldBy,
    reserve(holder, bytes) {
      if (reserved + bytes > max) return false;
      reserved += bytes;
      byHolder.set(holder, heldBy(holder) + bytes);
      return true;
    },
    release(holder, bytes) {
      reserved -= bytes;
      const held = heldBy(holder) - bytes;
      if (held > 0) byHolder.set(holder, held);
      else byHolder.delete(holder);
    },
  };
}
