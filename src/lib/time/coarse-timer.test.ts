import { expect, test } from "bun:test";
import { until } from "../../../test/kit/until.ts";
import { createCoarseTimer } from "./coarse-timer.ts";

test("the check runs while something is waiting, stops after that, and can be started again", async () => {
  let waiting = 2;
  let checks = 0;
  const start = createCoarseTimer(() => {
    checks += 1;
    waiting -= 1;
    return waiting > 0;
  });

  start();
  start(); // one timer, not two
  await until(() => checks === 2);
  waiting = 1;
  start();
  await until(() => checks === 3);
});

test("the check receives the elapsed time", async () => {
  const times: number[] = [];
  const start = createCoarseTimer((now) => times.push(now) < 2);

  start();
  await until(() => times.length === 2);

  expect(times[1]).toBeGreaterThan(times[0] ?? 0);
});
