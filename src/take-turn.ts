/** Waits for a turn of the event loop, so that large bodies which arrive together do not block it together. */
import type { Deps } from "./deps.ts";
import { createFairSemaphore, type FairSemaphore } from "./lib/concurrency/fair-semaphore.ts";
import { overloaded } from "./reserve-bytes.ts";

declare module "./deps.ts" {
  interface Deps {
    /** Turns of the main thread for work that takes milliseconds. */
    turns: FairSemaphore;
  }
}

/** The bodies that wait are bounded by IN_FLIGHT_MIB. */
export const createTurns = (): FairSemaphore =>
  createFairSemaphore({ max: 1, perOwner: 1, maxWaiting: Infinity, full: overloaded });

/** Parsing takes up to 0.1 µs per byte. Larger bodies wait for a turn. */
export const LARGE_BODY_BYTES = 64 * 1024;

/** Resolves in a turn of its own, in which the caller starts its work. Owners take turns. */
export const takeTurn = (
  { turns }: Pick<Deps, "turns">,
  turn: { owner: string; size: number },
): Promise<void> => turns(turn, () => new Promise<void>(setImmediate));
