import { expect, test } from "bun:test";
import {
  createHealth,
  isAvailable,
  recordNoOutcome,
  recordOutcome,
  recordSent,
} from "./registry-health.ts";

const answered = (status: number | undefined, retry_after_ms = 0) => ({ status, retry_after_ms });

test("five failures in a row open the circuit, four do not", () => {
  const health = createHealth();

  for (let n = 0; n < 4; n++) recordOutcome(health, answered(undefined), 0);
  const after4 = isAvailable(health, 0);
  recordOutcome(health, answered(500), 0);

  expect([after4, isAvailable(health, 0)]).toEqual([true, false]);
});

test("a success in between starts the count again", () => {
  const health = createHealth();

  for (let n = 0; n < 20; n++) recordOutcome(health, answered(n % 5 === 4 ? 200 : 502), 0);

  expect(isAvailable(health, 0)).toBe(true);
});

test("after its time an open circuit lets one request through, and no second one", () => {
  const health = createHealth();
  recordOutcome(health, answered(401), 0);

  const early = isAvailable(health, 9_999);
  const due = isAvailable(health, 10_000);
  recordSent(health);
  const second = isAvailable(health, 10_000);

  expect([early, due, second]).toEqual([false, true, false]);
});

test("a good probe closes the circuit, a bad one opens it again, a lost one proves nothing", () => {
  const probed = (outcome: (health: ReturnType<typeof createHealth>) => void) => {
    const health = createHealth();
    recordOutcome(health, answered(403), 0);
    recordSent(health);
    outcome(health);
    return [isAvailable(health, 10_000), isAvailable(health, 20_000)];
  };

  expect(probed((health) => recordOutcome(health, answered(200), 10_000))).toEqual([true, true]);
  expect(probed((health) => recordOutcome(health, answered(500), 10_000))).toEqual([false, true]);
  expect(probed(recordNoOutcome)).toEqual([true, true]);
});

test("Retry-After puts a registry aside, a minute at most", () => {
  const health = createHealth();

  recordOutcome(health, answered(429, 5_000), 0);
  const short = [isAvailable(health, 4_999), isAvailable(health, 5_000)];
  recordOutcome(health, answered(503, 3_600_000), 0);

  expect(short).toEqual([false, true]);
  expect(isAvailable(health, 60_000)).toBe(true);
});

test("a client's own mistakes say nothing against a registry", () => {
  const health = createHealth();

  for (let n = 0; n < 20; n++) recordOutcome(health, answered(400), 0);

  expect(isAvailable(health, 0)).toBe(true);
});
