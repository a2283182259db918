import { expect, test } from "bun:test";
import { createByteBudget } from "./lib/concurrency/byte-budget.ts";
import { reserveBytes } from "./reserve-bytes.ts";

const openBudget = () => {
  const heldBytes = createByteBudget(100);
  return { heldBytes, open: (holder: string) => reserveBytes({ heldBytes }, holder) };
};

test("several requests of one holder may take three quarters, and other holders the rest", () => {
  const { open } = openBudget();
  for (const bytes of [30, 30, 15]) open("a").add(bytes);

  expect(() => open("a").add(1)).toThrow("its share of the memory");
  open("b").add(25);
  expect(() => open("b").add(1)).toThrow("Too many requests are in progress");
});

test("a large request may take everything while the other requests of its holder take little", () => {
  const { open } = openBudget();
  open("a").add(20);

  open("a").add(80);
});

test("bytes that are added after the release are not counted", () => {
  const { heldBytes, open } = openBudget();
  const reservation = open("a");
  reservation.add(10);
  reservation.release();
  reservation.add(10);
  reservation.release();

  expect([heldBytes.reserved, heldBytes.heldBy("a")]).toEqual([0, 0]);
});
