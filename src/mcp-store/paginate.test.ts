import { expect, test } from "bun:test";
import { paginate } from "./paginate.ts";

const ITEMS = ["a", "b", "c", "d"].map((code) => ({ code }));

test("pages are contiguous, and the last one has no cursor", () => {
  const first = paginate(ITEMS, { limit: 2 });
  const second = paginate(ITEMS, { limit: 2, cursor: first.next_cursor ?? "" });

  expect([...first.items, ...second.items]).toEqual(ITEMS);
  expect(second.next_cursor).toBeNull();
});
