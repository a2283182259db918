/** Caps the bytes that requests hold in memory, for each holder and in total. */

export interface ByteBudget {
  /** Returns false, and reserves nothing, when the holder's cap or the total cap would be exceeded. */
  reserve(holder: string, bytes: number): boolean;
  release(holder: string, bytes: number): void;
  /** Bytes of all holders. */
  readonly reserved: number;
}

export function createByteBudget(max: number, maxPerHolder: number): ByteBudget {
  let reserved = 0;
  const byHolder = new Map<string, number>();
  return {
    reserve(holder, bytes) {
      const held = (byHolder.get(holder) ?? 0) + bytes;
      if (held > maxPerHolder || reserved + bytes > max) return false;
      reserved += bytes;
      byHolder.set(holder, held);
      return true;
    },
    release(holder, bytes) {
      reserved -= bytes;
      const held = (byHolder.get(holder) ?? 0) - bytes;
      if (held > 0) byHolder.set(holder, held);
      else byHolder.delete(holder);
    },
    get reserved() {
      return reserved;
    },
  };
}
