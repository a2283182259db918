/** Lets other requests run during long work of one request. */
import { elapsedMs } from "../time/clock.ts";

export interface WorkYielder {
  /** Starts to count: time before it, such as that of a read, is no work. */
  start: () => void;
  /** Counts the time since the start or the last call. Waits for another turn of the event loop after 8 ms of work. */
  yieldIfDue: () => Promise<void>;
}

const MAX_WORK_MS = 8;

export function createWorkYielder(): WorkYielder {
  let began = elapsedMs();
  let worked = 0;
  return {
    start() {
      began = elapsedMs();
    },
    async yieldIfDue() {
      const now = elapsedMs();
      worked += now - began;
      began = now;
      if (worked < MAX_WORK_MS) return;
      await new Promise(setImmediate);
      worked = 0;
      began = elapsedMs();
    },
  };
}
