/** An LRU cache, limited by the number of its entries or by their weight. */

export interface LruCache<T> {
  get(key: string): T | undefined;
  /** `weight` counts against the limit: 1 where entries are alike, their size where it differs. */
  set(key: string, value: T, weight?: number): void;
  delete(key: string): void;
}

export function createLruCache<T>(max: number): LruCache<T> {
  const kept = new Map<string, { value: T; weight: number }>(); // least recently used first
  let total = 0;

  function forget(key: string): void {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.value;
    },
    set(key, value, weight = 1) {
      forget(key);
      kept.set(key, { value, weight });
      total += weight;
      for (const oldest of kept.keys()) {
        if (total <= max) break;
        forget(oldest);
      }
    },
    delete: forget,
  };
}
