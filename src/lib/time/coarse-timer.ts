/** Runs a check every 50 ms while something is waiting: one timer instead of one for each deadline. */
import { elapsedMs } from "./clock.ts";

const TICK_MS = 50;

/** Returns the function that starts the timer. It stops when `check` returns that nothing is waiting. */
export function createCoarseTimer(check: (now: number) => boolean): () => void {
  let timer: Timer | undefined;
  const tick = () => {
    if (check(elapsedMs())) return;
    clearInterval(timer);
    timer = undefined;
  };
  return () => {
    timer ??= setInterval(tick, TICK_MS);
  };
}
