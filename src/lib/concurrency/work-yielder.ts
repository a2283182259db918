/** Lets other requests run during long work of one request. */
import { elapsedMs } from "../time/clock.ts";

export interface WorkYielder {
  /** Starts to count: time before it, such as that of a read, is no work. */
  start: () => void;
  /** Counts the time since the start or the last call. Waits for another turn after 8 ms of work. */
  yieldIfDue: () => Promise<void>;
}

const MAX_WORK_MS = 8;

export function createWorkYielder(waitForTurn: () => Promise<void>): WorkYielder {
  let began = elapsedMs();
  // Work that begins together begins in turns.
  let worked = MAX_WORK_MS;
  return {
    start() {
      began = elapsedMs();
    },
    async yieldIfDue() {
      const now = elapsedMs();
      worked += now - began;
      began = now;
      if (worked < MAX_WORK_MS) return;
      await waitForTurn();
      worked = 0;
      began = elapsedMs();
    },
  };
}
