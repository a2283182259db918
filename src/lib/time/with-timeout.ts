/** Rejects a promise that is not settled in time. */
import { elapsedMs } from "./clock.ts";
import { createCoarseTimer } from "./coarse-timer.ts";

interface Wait {
  until: number;
  signal: AbortSignal | undefined;
  reject: (error: Error) => void;
  late: () => Error;
}

const waits = new Set<Wait>();

const startTimer = createCoarseTimer((now) => {
  for (const wait of waits) {
    const { until, signal, reject, late } = wait;
    if (until > now && !signal?.aborted) continue;
    waits.delete(wait);
    reject(signal?.aborted ? signal.reason : late());
  }
  return waits.size > 0;
});

/** Rejects with `late()` after `ms`, or with the reason of `signal`; both up to 50 ms late. */
export function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  late: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  if (Bun.peek.status(work) !== "pending") return work;
  return new Promise((resolve, reject) => {
    const wait = { until: elapsedMs() + ms, signal, reject, late };
    waits.add(wait);
    startTimer();
    work.then(
      (value) => {
        waits.delete(wait);
        resolve(value);
      },
      (thrown) => {
        waits.delete(wait);
        reject(thrown);
      },
    );
  });
}
