import { expect, test } from "bun:test";
import { createMemoryCounter } from "./memory-counter.ts";

const check = (subject: string, limit = 2, window_s = 60) => ({
  space: `space ${window_s}:`,
  subject,
  limit,
  window_s,
});
const START = 1_000_000;
const WINDOW_MS = 60_000;
const AFTER_MS = WINDOW_MS + WINDOW_MS / 64 + 1;

test("idle subjects are evicted while new ones arrive, so that memory follows the traffic", () => {
  const counter = createMemoryCounter();

  // 300,000 users, each seen once, 10,000 in a window.
  for (let user = 0; user < 300_000; user++) {
    counter.take([check(`user ${user}`)], START + user * (WINDOW_MS / 10_000));
  }

  expect(counter.size()).toBeLessThan(25_000);
});

test("idle subjects are evicted while only known subjects send requests", () => {
  const counter = createMemoryCounter();
  for (let user = 0; user < 1_000; user++) counter.take([check(`user ${user}`)], START);

  for (let call = 0; call < 5_000; call++) counter.take([check("known", 9_999)], START + AFTER_MS);

  expect(counter.size()).toBe(1);
});

test("a subject that is evicted during its own check is still charged", () => {
  const counter = createMemoryCounter();
  const both = [check("a", 1, 1), check("b", 1, 60)];
  counter.take(both, START);

  const later = START + 2 * AFTER_MS;
  const admitted = Array.from({ length: 5 }, () => counter.take(both, later).admitted);

  expect(admitted).toEqual([true, false, false, false, false]);
});

test("when memory is full, new subjects share one limit and known subjects keep theirs", () => {
  const counter = createMemoryCounter(3);
  for (const name of ["a", "b", "c"]) counter.take([check(name)], START);

  const newcomers = ["d", "e", "f"].map((name) => counter.take([check(name)], START).admitted);

  expect(newcomers).toEqual([true, true, false]);
  expect(counter.take([check("a")], START).admitted).toBe(true);
  expect(counter.size()).toBe(3);
});

test("a subject that leaves the overflow ring starts with the usage of that ring", () => {
  const counter = createMemoryCounter(1);
  counter.take([check("a", 2, 1)], START);
  const first = counter.take([check("b")], START).admitted;
  const second = counter.take([check("b")], START).admitted;

  // Now "a" is idle and is evicted.
  const third = counter.take([check("b")], START + 2_000).admitted;
  const other = counter.take([check("b")], START + AFTER_MS).admitted;

  expect([first, second, third, other]).toEqual([true, true, false, true]);
});

test("more than 255 requests in one part of a window are counted", () => {
  const counter = createMemoryCounter();

  const admitted = Array.from(
    { length: 1_000 },
    () => counter.take([check("a", 700)], START).admitted,
  );

  expect(admitted.filter(Boolean).length).toBe(700);
});

test("charges have the admission time of each request, never too early and at most window/64 late", () => {
  const counter = createMemoryCounter();
  const checks = [check("a", 9)];
  const times = [START, START + 1, START + WINDOW_MS / 2, START + WINDOW_MS - 1];
  for (const time of times) counter.take(checks, time);

  const [charge] = counter.charges(START + WINDOW_MS - 1);
  const latest = charge?.slots.flatMap((slot) => Array(slot.count).fill(slot.latest_ms));

  expect(latest?.length).toBe(times.length);
  for (const [index, time] of times.entries()) {
    expect(latest?.[index]).toBeWithin(time, time + WINDOW_MS / 64 + 1);
  }
  expect([...counter.charges(START + 3 * WINDOW_MS)]).toEqual([]);
});

test("forgetting a subject resets its usage", () => {
  const counter = createMemoryCounter();
  counter.take([check("a", 1)], START);

  expect(counter.forget("space 60:", "a")).toBe(true);
  expect(counter.forget("space 60:", "a")).toBe(false);
  expect(counter.take([check("a", 1)], START).admitted).toBe(true);
});
