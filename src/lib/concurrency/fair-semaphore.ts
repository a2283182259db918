/** Limits concurrency to `max` tasks, and to a share of them for each owner; waiting owners take turns. */
export interface FairLimits {
  max: number;
  /** Maximum of running tasks of one owner. */
  perOwner: number;
  /** Maximum size of the running tasks of one owner together. A larger task runs without others of its owner. */
  sizePerOwner?: number;
  /** Maximum of waiting tasks of one owner. */
  maxWaiting: number;
  /** Returns the error of a task beyond `maxWaiting`. */
  full: () => Error;
}

export interface FairTurn {
  owner: string;
  size: number;
}

export type FairSemaphore = <T>(turn: FairTurn, task: () => Promise<T>) => Promise<T>;

export function createFairSemaphore(limits: FairLimits): FairSemaphore {
  const { perOwner, sizePerOwner = Infinity } = limits;
  /** Owners with waiting tasks, the next one first. */
  const waiting = new Map<string, { size: number; start: () => void }[]>();
  const running = new Map<string, { tasks: number; size: number }>();
  let free = limits.max;

  const runningOf = (owner: string) => running.get(owner) ?? { tasks: 0, size: 0 };
  const mayStart = (owner: string, size: number) => {
    const { tasks, size: held } = runningOf(owner);
    return tasks === 0 || (tasks < perOwner && held + size <= sizePerOwner);
  };
  const startNext = () => {
    for (const [owner, queue] of waiting) {
      const [next] = queue;
      if (free === 0) return;
      if (!next || !mayStart(owner, next.size)) continue;
      queue.shift();
      // Moves the owner to the end of the queue.
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue);
      free -= 1;
      const { tasks, size } = runningOf(owner);
      running.set(owner, { tasks: tasks + 1, size: size + next.size });
      next.start();
    }
  };
  return async ({ owner, size }, task) => {
    const { promise, resolve: start } = Promise.withResolvers<void>();
    const queue = waiting.get(owner);
    if (queue && queue.length >= limits.maxWaiting) throw limits.full();
    if (queue) queue.push({ size, start });
    else waiting.set(owner, [{ size, start }]);
    startNext();
    await promise;
    try {
      return await task();
    } finally {
      free += 1;
      const { tasks, size: held } = runningOf(owner);
      if (tasks > 1) running.set(owner, { tasks: tasks - 1, size: held - size });
      else running.delete(owner);
      startNext();
    }
  };
}
