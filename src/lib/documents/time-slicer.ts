/** Lets others run while a long document is read, and ends the reading when it takes too much time. */
import { elapsedMs } from "../time/clock.ts";
import { documentProblem } from "./document-problem.ts";

export interface TimeSlicer {
  /** True when it is time to `await rest()`. Cheap enough for every step of a loop; `cost` of a long one. */
  isDue: (cost?: number) => boolean;
  yield: () => Promise<void>;
}

const STEPS_PER_LOOK = 512;
const WORK_MS = 8;

/** `mostMs` of work; what others do in between does not count. */
export function createTimeSlicer(mostMs: number): TimeSlicer {
  let steps = 0;
  let began = elapsedMs();
  let worked = 0;
  return {
    isDue(cost = 1) {
      steps += cost;
      if (steps < STEPS_PER_LOOK) return false;
      steps = 0;
      const spent = elapsedMs() - began;
      if (worked + spent > mostMs) {
        throw documentProblem("Reading the documents takes too long.", "over_budget");
      }
      return spent > WORK_MS;
    },
    async yield() {
      worked += elapsedMs() - began;
      await new Promise((resolve) => setImmediate(resolve));
      began = elapsedMs();
    },
  };
}
