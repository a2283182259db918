/** Gives up waiting after a while, with an error of the caller's making. */
import { elapsedMs } from "./clock.ts";

interface Wait {
  until: number;
  signal: AbortSignal | undefined;
  reject: (error: Error) => void;
  late: () => Error;
}

/** One timer for all of them: most are over at once. */
const waits = new Set<Wait>();
const LOOK_EVERY_MS = 50;
let timer: Timer | undefined;

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
    timer ??= setInterval(look, LOOK_EVERY_MS);
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

function look(): void {
  const now = elapsedMs();
  for (const wait of waits) {
    const { until, signal, reject, late } = wait;
    if (until > now && !signal?.aborted) continue;
    waits.delete(wait);
    reject(signal?.aborted ? signal.reason : late());
  }
  if (waits.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
