/**
 * Evaluations of streams that run after their request has ended. A consumer with many of them waits before its next stream:
 * requests that are sent faster than they are evaluated would fill the memory.
 */
export interface LateEvaluations {
  /** Number of all consumers together. */
  readonly running: number;
  run: (owner: string, evaluate: () => Promise<void>) => Promise<void>;
  /** Returns a promise if the owner has to wait, which is rejected with the reason of the signal. */
  waitForRoom: (owner: string, request: Pick<Request, "signal">) => Promise<void> | undefined;
}

export const MAX_LATE_EVALUATIONS = 16;

export function createLateEvaluations(): LateEvaluations {
  const byOwner = new Map<string, { running: number; waiting: Set<() => void> }>();
  let running = 0;
  return {
    get running() {
      return running;
    },
    async run(owner, evaluate) {
      const own = byOwner.get(owner) ?? { running: 0, waiting: new Set() };
      byOwner.set(owner, own);
      own.running += 1;
      running += 1;
      try {
        await evaluate();
      } finally {
        own.running -= 1;
        running -= 1;
        if (own.running <= MAX_LATE_EVALUATIONS / 2) {
          for (const resume of own.waiting) resume();
          own.waiting.clear();
        }
        if (own.running === 0) byOwner.delete(owner);
      }
    },
    waitForRoom(owner, request) {
      const own = byOwner.get(owner);
      if (!own || own.running < MAX_LATE_EVALUATIONS) return undefined;
      const { signal } = request;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      own.waiting.add(resolve);
      const leave = () => {
        own.waiting.delete(resolve);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      return promise.finally(() => signal.removeEventListener("abort", leave));
    },
  };
}
