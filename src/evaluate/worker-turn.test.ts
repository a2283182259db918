import { expect, test } from "bun:test";
import type { EvaluationHost } from "./worker/evaluation-host.ts";
import { createTurn, leaveTurnsOf } from "./worker-turn.ts";

test("no evaluation of a batch works while the batch has passed its turn", async () => {
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  let passed = 0;
  const host = {
    worker: "huge",
    waitForTurn: async () => {},
    leaveTurn: async () => {
      passed += 1;
    },
    takeTurn: () => taken,
    checkClient: async () => {},
  } as Partial<EvaluationHost> as EvaluationHost;
  const turn = { ...createTurn(), began: Number.NEGATIVE_INFINITY };
  const { waitForTurn } = leaveTurnsOf(host, turn);
  let working = 0;
  const evaluations = Array.from({ length: 3 }, () =>
    waitForTurn(1).then(() => {
      working += 1;
    }),
  );

  await Bun.sleep(5);
  expect(working).toBe(0);
  take();
  await Promise.all(evaluations);

  expect(working).toBe(3);
  expect(passed).toBe(1);
});
