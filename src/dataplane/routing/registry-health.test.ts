import { expect, test } from "bun:test";
import {
  createHealth,
  isAvailable,
  recordNoOutcome,
  recordOutcome,
  recordSent,
} from "./registry-health.ts";

const outcomeOf = (status: number | undefined, retry_after_ms = 0) => ({ status, retry_after_ms });

test("five consecutive failures open the circuit, four do not", () => {
  const health = createHealth();

  for (let n = 0; n < 4; n++) recordOutcome(health, outcomeOf(undefined), 0);
  const after4 = isAvailable(health, 0);
  recordOutcome(health, outcomeOf(500), 0);

  expect([after4, isAvailable(health, 0)]).toEqual([true, false]);
});

test("a success resets the failure count", () => {
  const health = createHealth();

  for (let n = 0; n < 20; n++) recordOutcome(health, outcomeOf(n % 5 === 4 ? 200 : 502), 0);

  expect(isAvailable(health, 0)).toBe(true);
});

test("after its timeout an open circuit lets exactly one request through", () => {
  const health = createHealth();
  recordOutcome(health, outcomeOf(401), 0);

  const early = isAvailable(health, 9_999);
  const due = isAvailable(health, 10_000);
  recordSent(health);
  const second = isAvailable(health, 10_000);

  expect([early, due, second]).toEqual([false, true, false]);
});

test("a successful probe closes the circuit, a failed one reopens it, an aborted one changes nothing", () => {
  const probed = (outcome: (health: ReturnType<typeof createHealth>) => void) => {
    const health = createHealth();
    recordOutcome(health, outcomeOf(403), 0);
    recordSent(health);
    outcome(health);
    return [isAvailable(health, 10_000), isAvailable(health, 20_000)];
  };

  expect(probed((health) => recordOutcome(health, outcomeOf(200), 10_000))).toEqual([true, true]);
  expect(probed((health) => recordOutcome(health, outcomeOf(500), 10_000))).toEqual([false, true]);
  expect(probed(recordNoOutcome)).toEqual([true, true]);
});

test("Retry-After pauses a registry for at most a minute", () => {
  const health = createHealth();

  recordOutcome(health, outcomeOf(429, 5_000), 0);
  const short = [isAvailable(health, 4_999), isAvailable(health, 5_000)];
  recordOutcome(health, outcomeOf(503, 3_600_000), 0);

  expect(short).toEqual([false, true]);
  expect(isAvailable(health, 60_000)).toBe(true);
});

test("client errors do not open the circuit", () => {
  const health = createHealth();

  for (let n = 0; n < 20; n++) recordOutcome(health, outcomeOf(400), 0);

  expect(isAvailable(health, 0)).toBe(true);
});
