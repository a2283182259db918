/** Creates ids. They sort by creation time, so that they also serve as page cursors. */
import { randomInt } from "node:crypto";
import { now } from "./time/clock.ts";

/**
 * Passes the time explicitly. By itself Bun never goes back: after a clock was set forward by mistake and
 * corrected, ids, and the event times read from them, would stay ahead.
 */
export const newId = (): string => Bun.randomUUIDv7(undefined, now());

/** Returns the creation time in milliseconds, the first 48 bits of a UUIDv7. */
export const readIdTime = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Returns the lowest id of a point in time; all earlier ids are smaller. */
export function firstIdAt(time: string | Date): string {
  const hex = Math.max(0, new Date(time).getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

const SLUG_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

export const newSlug = (length = 8): string =>
  Array.from({ length }, () => SLUG_LETTERS[randomInt(SLUG_LETTERS.length)]).join("");
