import { expect, test } from "bun:test";
import { isAvailable, newHealth, noteNothing, noteOutcome, noteSent } from "./health.ts";

const answered = (status: number | undefined, retry_after_ms = 0) => ({ status, retry_after_ms });

test("five failures in a row open the circuit, four do not", () => {
  const health = newHealth();

  for (let n = 0; n < 4; n++) noteOutcome(health, answered(undefined), 0);
  const after4 = isAvailable(health, 0);
  noteOutcome(health, answered(500), 0);

  expect([after4, isAvailable(health, 0)]).toEqual([true, false]);
});

test("a success in between starts the count again", () => {
  const health = newHealth();

  for (let n = 0; n < 20; n++) noteOutcome(health, answered(n % 5 === 4 ? 200 : 502), 0);

  expect(isAvailable(health, 0)).toBe(true);
});

test("after its time an open circuit lets one request through, and no second one", () => {
  const health = newHealth();
  noteOutcome(health, answered(401), 0);

  const early = isAvailable(health, 9_999);
  const due = isAvailable(health, 10_000);
  noteSent(health);
  const second = isAvailable(health, 10_000);

  expect([early, due, second]).toEqual([false, true, false]);
});

test("a good probe closes the circuit, a bad one opens it again, a lost one proves nothing", () => {
  const probed = (outcome: (health: ReturnType<typeof newHealth>) => void) => {
    const health = newHealth();
    noteOutcome(health, answered(403), 0);
    noteSent(health);
    outcome(health);
    return [isAvailable(health, 10_000), isAvailable(health, 20_000)];
  };

  expect(probed((health) => noteOutcome(health, answered(200), 10_000))).toEqual([true, true]);
  expect(probed((health) => noteOutcome(health, answered(500), 10_000))).toEqual([false, true]);
  expect(probed(noteNothing)).toEqual([true, true]);
});

test("Retry-After puts a registry aside, a minute at most", () => {
  const health = newHealth();

  noteOutcome(health, answered(429, 5_000), 0);
  const short = [isAvailable(health, 4_999), isAvailable(health, 5_000)];
  noteOutcome(health, answered(503, 3_600_000), 0);

  expect(short).toEqual([false, true]);
  expect(isAvailable(health, 60_000)).toBe(true);
});

test("a client's own mistakes say nothing against a registry", () => {
  const health = newHealth();

  for (let n = 0; n < 20; n++) noteOutcome(health, answered(400), 0);

  expect(isAvailable(health, 0)).toBe(true);
});
