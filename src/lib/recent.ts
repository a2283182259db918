/** A map with a bound: when it is full, what was not asked for the longest time goes. */

export interface Recent<T> {
  find(key: string): T | undefined;
  remember(key: string, value: T): void;
  forget(key: string): void;
}

export function createRecent<T>(most: number): Recent<T> {
  const kept = new Map<string, T>(); // least recently used first
  return {
    find(key) {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    remember(key, value) {
      kept.delete(key);
      kept.set(key, value);
      if (kept.size <= most) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    },
    forget(key) {
      kept.delete(key);
    },
  };
}
