/** Limits concurrency to `max` tasks; the others wait in order of arrival. */
export type Semaphore = <T>(task: () => Promise<T>) => Promise<T>;

export function createSemaphore(max: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = max;
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
