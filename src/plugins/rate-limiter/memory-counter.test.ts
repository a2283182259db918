import { expect, test } from "bun:test";
import { createMemoryCounter } from "./memory-counter.ts";

const ask = (subject: string, limit = 2, window_s = 60) => ({
  space: `space ${window_s}:`,
  subject,
  limit,
  window_s,
});
const START = 1_000_000;
const WINDOW_MS = 60_000;
const AFTER_MS = WINDOW_MS + WINDOW_MS / 64 + 1;

test("idle subjects are dropped while others come, so that memory follows the traffic", () => {
  const counter = createMemoryCounter();

  // 300,000 users, each seen once, 10,000 in a window.
  for (let user = 0; user < 300_000; user++) {
    counter.take([ask(`user ${user}`)], START + user * (WINDOW_MS / 10_000));
  }

  expect(counter.size()).toBeLessThan(25_000);
});

test("idle subjects are dropped while only known ones come", () => {
  const counter = createMemoryCounter();
  for (let user = 0; user < 1_000; user++) counter.take([ask(`user ${user}`)], START);

  for (let call = 0; call < 5_000; call++) counter.take([ask("known", 9_999)], START + AFTER_MS);

  expect(counter.size()).toBe(1);
});

test("a subject that was dropped while it was asked for is still charged", () => {
  const counter = createMemoryCounter();
  const both = [ask("a", 1, 1), ask("b", 1, 60)];
  counter.take(both, START);

  const later = START + 2 * AFTER_MS;
  const admitted = Array.from({ length: 5 }, () => counter.take(both, later).admitted);

  expect(admitted).toEqual([true, false, false, false, false]);
});

test("when there is no place left, newcomers share one limit and the known keep theirs", () => {
  const counter = createMemoryCounter(3);
  for (const name of ["a", "b", "c"]) counter.take([ask(name)], START);

  const newcomers = ["d", "e", "f"].map((name) => counter.take([ask(name)], START).admitted);

  expect(newcomers).toEqual([true, true, false]);
  expect(counter.take([ask("a")], START).admitted).toBe(true);
  expect(counter.size()).toBe(3);
});

test("a newcomer that gets a place later may have used what all newcomers used", () => {
  const counter = createMemoryCounter(1);
  counter.take([ask("a", 2, 1)], START);
  const first = counter.take([ask("b")], START).admitted;
  const second = counter.take([ask("b")], START).admitted;

  // Now "a" is idle and makes room.
  const third = counter.take([ask("b")], START + 2_000).admitted;
  const other = counter.take([ask("b")], START + AFTER_MS).admitted;

  expect([first, second, third, other]).toEqual([true, true, false, true]);
});

test("more than 255 requests in one part of a window are counted", () => {
  const counter = createMemoryCounter();

  const admitted = Array.from(
    { length: 1_000 },
    () => counter.take([ask("a", 700)], START).admitted,
  );

  expect(admitted.filter(Boolean).length).toBe(700);
});

test("charges tell when each request was admitted, never too early and at most a 64th late", () => {
  const counter = createMemoryCounter();
  const asks = [ask("a", 9)];
  const times = [START, START + 1, START + WINDOW_MS / 2, START + WINDOW_MS - 1];
  for (const time of times) counter.take(asks, time);

  const [charge] = counter.charges(START + WINDOW_MS - 1);
  const latest = charge?.slots.flatMap((slot) => Array(slot.count).fill(slot.latest_ms));

  expect(latest?.length).toBe(times.length);
  for (const [index, time] of times.entries()) {
    expect(latest?.[index]).toBeWithin(time, time + WINDOW_MS / 64 + 1);
  }
  expect([...counter.charges(START + 3 * WINDOW_MS)]).toEqual([]);
});

test("forgetting a subject gives it its limit back", () => {
  const counter = createMemoryCounter();
  counter.take([ask("a", 1)], START);

  expect(counter.forget("space 60:", "a")).toBe(true);
  expect(counter.forget("space 60:", "a")).toBe(false);
  expect(counter.take([ask("a", 1)], START).admitted).toBe(true);
});
