/** LRU cache, limited by the number of entries or by their total weight. */

export interface LruCache<T> {
  get(key: string): T | undefined;
  /** `weight` counts against the limit: 1 where entries are alike, their size where it differs. */
  set(key: string, value: T, weight?: number): void;
  delete(key: string): void;
}

export function createLruCache<T>(max: number): LruCache<T> {
  const entries = new Map<string, { value: T; weight: number }>(); // least recently used first
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight = 1) {
      remove(key);
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= max) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
