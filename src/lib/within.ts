/** Gives up waiting after a while, with an error of the caller's making. */
import { elapsedMs } from "./clock.ts";

interface Wait {
  until: number;
  giveUp: () => void;
}

/** One timer for all of them: most are over at once. */
const waits = new Set<Wait>();
const LOOK_EVERY_MS = 50;
let timer: Timer | undefined;

/** Late by a few hundredths of a second at most. */
export function within<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  if (Bun.peek.status(work) !== "pending") return work;
  return new Promise((resolve, reject) => {
    const wait = { until: elapsedMs() + ms, giveUp: () => reject(late()) };
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
    if (wait.until > now) continue;
    waits.delete(wait);
    wait.giveUp();
  }
  if (waits.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
