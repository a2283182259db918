/** Evaluations in the main thread take turns. Small ones do, too. */
import { expect, test } from "bun:test";
import { createFairTurns } from "../../lib/concurrency/fair-turns.ts";
import { runInTurn } from "./run-in-worker.ts";

/** Starts evaluations of one owner together. Returns how many begin at once, and the promise of all. */
function startTogether(count: number, size: number) {
  const deps = { turns: createFairTurns(() => 0) };
  let begun = 0;
  const all = Array.from({ length: count }, () =>
    runInTurn(deps, { owner: "a", size, client: undefined }, async () => ++begun),
  );
  return { all: Promise.all(all), begun: () => begun };
}

test.each([10, 400, 40_000])(
  "evaluations of %d bytes that arrive together need several turns of the event loop",
  async (size) => {
    const { all, begun } = startTogether(1000, size);
    // Runs before the next turn of the event loop.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const atOnce = begun();
    await all;

    expect(atOnce).toBeGreaterThan(0);
    expect(atOnce).toBeLessThan(100);
    expect(begun()).toBe(1000);
  },
);
