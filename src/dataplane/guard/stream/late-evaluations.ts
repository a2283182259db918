/**
 * Evaluations of streams that run after their request has ended. A consumer with many of them waits before its next stream:
 * requests that are sent faster than they are evaluated would fill the memory.
 */
export interface LateEvaluations {
  /** Number of all consumers together. */
  readonly running: number;
  run: (consumer_id: string, evaluate: () => Promise<void>) => Promise<void>;
  /** Returns a promise if the consumer has to wait. It is rejected when the client disconnects. */
  waitForRoom: (consumer_id: string, request: Pick<Request, "signal">) => Promise<void> | undefined;
}

export const MAX_LATE_EVALUATIONS = 16;

export function createLateEvaluations(): LateEvaluations {
  const byConsumer = new Map<string, { running: number; waiting: Set<() => void> }>();
  let running = 0;
  return {
    get running() {
      return running;
    },
    async run(consumer_id, evaluate) {
      const own = byConsumer.get(consumer_id) ?? { running: 0, waiting: new Set() };
      byConsumer.set(consumer_id, own);
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
        if (own.running === 0) byConsumer.delete(consumer_id);
      }
    },
    waitForRoom(consumer_id, request) {
      const own = byConsumer.get(consumer_id);
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
