/** Limits concurrency to `max` tasks, and to `perOwner` tasks of one owner; waiting owners take turns. */
export interface FairLimits {
  max: number;
  perOwner: number;
  /** Maximum of waiting tasks of one owner. */
  maxWaiting: number;
  /** Returns the error of a task beyond `maxWaiting`. */
  full: () => Error;
}

export type FairSemaphore = <T>(owner: string, task: () => Promise<T>) => Promise<T>;

export function createFairSemaphore({
  max,
  perOwner,
  maxWaiting,
  full,
}: FairLimits): FairSemaphore {
  /** Owners with waiting tasks, the next one first. */
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let free = max;

  const runningOf = (owner: string) => running.get(owner) ?? 0;
  const startNext = () => {
    for (const [owner, queue] of waiting) {
      if (free === 0) return;
      if (runningOf(owner) >= perOwner) continue;
      const start = queue.shift();
      // Moves the owner to the end of the queue.
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue);
      free -= 1;
      running.set(owner, runningOf(owner) + 1);
      start?.();
    }
  };
  return async (owner, task) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = waiting.get(owner);
    if (queue && queue.length >= maxWaiting) throw full();
    if (queue) queue.push(resolve);
    else waiting.set(owner, [resolve]);
    startNext();
    await promise;
    try {
      return await task();
    } finally {
      free += 1;
      if (runningOf(owner) > 1) running.set(owner, runningOf(owner) - 1);
      else running.delete(owner);
      startNext();
    }
  };
}
