import { expect, test } from "bun:test";
import { createJobTurns } from "./job-turns.ts";

test("a job waits until no smaller job runs, and not for larger ones", async () => {
  const turns = createJobTurns({ minWorkMs: 0 });
  const waitForLarge = turns.add(1, 1000);
  const waitForSmall = turns.add(2, 10);
  const order: string[] = [];

  const large = waitForLarge().then(() => order.push("large"));
  for (let call = 0; call < 3; call++) {
    await Bun.sleep(5);
    await waitForSmall();
    order.push("small");
  }
  turns.delete(2);
  await large;

  expect(order).toEqual(["small", "small", "small", "large"]);
});

test("smaller jobs that never end delay a job for a limited time", async () => {
  const turns = createJobTurns({ maxWaitMs: 10, minWorkMs: 0 });
  const wait = turns.add(1, 1000);
  turns.add(2, 10);

  await wait();
  await wait();
});

test("a job that has run for a short time does not wait", async () => {
  const turns = createJobTurns({ minWorkMs: 60_000 });
  const wait = turns.add(1, 1000);
  turns.add(2, 10);
  let isNext = false;
  setImmediate(() => {
    isNext = true;
  });

  await wait();

  expect(isNext).toBe(false);
});
