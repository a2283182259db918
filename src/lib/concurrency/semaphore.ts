/** Runs so many works at once; the others wait for their turn, in the order in which they came. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

export function createSemaphore(most: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
