/** Yields to other requests while a long document is read, and caps the time that it takes. */
import { elapsedMs } from "../time/clock.ts";
import { documentProblem } from "./document-problem.ts";

export interface TimeSlicer {
  /** Returns true when it is time to `await yield()`. Call it in every step of a loop, with the `cost` of a long one. */
  isDue: (cost?: number) => boolean;
  /** Lets others run, until `wait` resolves. */
  yield: (wait?: () => Promise<unknown>) => Promise<void>;
}

const STEPS_PER_CHECK = 512;
const SLICE_MS = 8;

/** `maxMs` of work; the time of other requests in between does not count. */
export function createTimeSlicer(maxMs: number): TimeSlicer {
  let steps = 0;
  let began = elapsedMs();
  let worked = 0;
  return {
    isDue(cost = 1) {
      steps += cost;
      if (steps < STEPS_PER_CHECK) return false;
      steps = 0;
      const spent = elapsedMs() - began;
      if (worked + spent > maxMs) {
        throw documentProblem("Reading the documents takes too long.", "over_budget");
      }
      return spent > SLICE_MS;
    },
    async yield(wait = () => new Promise<void>((resolve) => setImmediate(resolve))) {
      worked += elapsedMs() - began;
      await wait();
      began = elapsedMs();
    },
  };
}
