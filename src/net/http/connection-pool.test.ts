import { expect, test } from "bun:test";
import type { Connection } from "./connection.ts";
import { createConnectionPool } from "./connection-pool.ts";

/** Returns the idle time of a connection after a response with this header; 0: closed. */
function keptFor(place: string, keepAlive?: string): number {
  let seconds = 0;
  const socket = {
    timeout(given: number) {
      seconds = given;
    },
    terminate() {},
  };
  const headers = new Map(keepAlive === undefined ? [] : [["keep-alive", keepAlive]]);
  createConnectionPool().give(place, { socket } as unknown as Connection, headers);
  return seconds;
}

test.each([
  ["https: a 443", undefined, 50],
  ["http: a 80", undefined, 4],
  ["https: a 443", "timeout=5, max=100", 4],
  ["http: a 80", "max=5;timeout=30", 29],
  ["http: a 80", "timeout=600", 60],
  ["https: a 443", "timeout=1", 0],
])("%s that says %p is kept for %p seconds", (place, keepAlive, seconds) => {
  expect(keptFor(place, keepAlive)).toBe(seconds);
});
