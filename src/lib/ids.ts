/** Makes ids and secrets. Ids sort by creation time, so they serve as the paging key too. */
import { randomInt } from "node:crypto";
import { now } from "./time/clock.ts";

/**
 * The time is passed in: without it Bun never goes back, so after a clock was set forward by mistake and
 * corrected, ids and the event times read from them would stay ahead for as long.
 */
export const newId = (): string => Bun.randomUUIDv7(undefined, now());

/** When an id was made, in milliseconds: version 7 begins with it. */
export const readIdTime = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The first possible id of a moment: what came before it has a smaller one. */
export function firstIdAt(time: string | Date): string {
  const hex = Math.max(0, new Date(time).getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

const SLUG_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

export const newSlug = (length = 8): string =>
  Array.from({ length }, () => SLUG_LETTERS[randomInt(SLUG_LETTERS.length)]).join("");
