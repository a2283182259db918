import { expect, test } from "bun:test";
import { createFairTurns } from "./lib/concurrency/fair-turns.ts";
import { takeCountedTurn } from "./take-turn.ts";

const LARGE = 1024 * 1024;

test("the work of a client that has disconnected does not begin, whether it has to wait or not", async () => {
  const deps = { turns: createFairTurns() };
  const client = { signal: AbortSignal.abort() };

  const first = takeCountedTurn(deps, { owner: "a", size: LARGE, client });
  const second = takeCountedTurn(deps, { owner: "a", size: LARGE, client });

  await expect(first).rejects.toMatchObject({ code: "client_closed" });
  await expect(second).rejects.toMatchObject({ code: "client_closed" });
});
