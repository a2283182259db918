import { expect, test } from "bun:test";
import { paginate } from "./paginate.ts";

const ITEMS = ["a", "b", "c", "d"];

test("pages are contiguous, and the last one has no cursor", () => {
  const first = paginate(ITEMS, { limit: 2 }, String);
  const second = paginate(ITEMS, { limit: 2, cursor: first.next_cursor ?? "" }, String);

  expect([...first.items, ...second.items]).toEqual(ITEMS);
  expect(second.next_cursor).toBeNull();
});
