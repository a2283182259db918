/** Caps the bytes that all requests hold in memory together, and counts those of each holder. */

export interface ByteBudget {
  readonly max: number;
  /** Bytes of all holders. */
  readonly reserved: number;
  heldBy(holder: string): number;
  /** Returns whether this many bytes are left. */
  fits(bytes: number): boolean;
  /** Counts bytes that fit. */
  reserve(holder: string, bytes: number): void;
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
    fits: (bytes) => reserved + bytes <= max,
    reserve(holder, bytes) {
      reserved += bytes;
      byHolder.set(holder, heldBy(holder) + bytes);
    },
    release(holder, bytes) {
      reserved -= bytes;
      const held = heldBy(holder) - bytes;
      if (held > 0) byHolder.set(holder, held);
      else byHolder.delete(holder);
    },
  };
}
