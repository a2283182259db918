/**
 * Turns of the jobs in one worker: a large one waits while smaller ones run. Those call the main thread several times, and
 * would wait for a detector of the large one each time.
 */
import { elapsedMs } from "../../lib/time/clock.ts";

/** Interval at which a job checks for smaller ones. */
const POLL_MS = 2;
/** Caps the time that a job waits in total, so that many small ones do not stop it. */
const MAX_WAIT_MS = 500;

/** A job that has run for less lets no other run: each turn of it may cost the work of all that are ready. */
const MIN_WORK_MS = 50;

export interface JobTurns {
  /** Adds a job. Returns the function by which it lets others run. */
  add: (job: number, size: number) => () => Promise<void>;
  delete: (job: number) => void;
}

export function createJobTurns({
  maxWaitMs = MAX_WAIT_MS,
  minWorkMs = MIN_WORK_MS,
} = {}): JobTurns {
  const sizes = new Map<number, number>();
  return {
    add(job, size) {
      sizes.set(job, size);
      let left = maxWaitMs;
      let resumed = elapsedMs();
      const isDelaying = () => left > 0 && [...sizes.values()].some((other) => other < size);
      return async () => {
        if (elapsedMs() - resumed < minWorkMs) return;
        await new Promise(setImmediate);
        while (isDelaying()) {
          const began = elapsedMs();
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
          left -= elapsedMs() - began;
        }
        resumed = elapsedMs();
      };
    },
    delete: (job) => sizes.delete(job),
  };
}
