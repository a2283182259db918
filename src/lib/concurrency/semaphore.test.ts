import { expect, test } from "bun:test";
import { createSemaphore } from "./semaphore.ts";

test("at most the limit runs concurrently, in order of arrival, and a failure frees its slot", async () => {
  const inTurn = createSemaphore(2);
  const began: number[] = [];
  let running = 0;
  let most = 0;

  const works = Array.from({ length: 7 }, (_, index) =>
    inTurn(async () => {
      began.push(index);
      most = Math.max(most, ++running);
      await Bun.sleep(1);
      running -= 1;
      if (index % 2) throw new Error("no");
      return index;
    }),
  );
  const ended = await Promise.allSettled(works);

  expect(began).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(2);
  expect(ended.map(({ status }) => status === "fulfilled")).toEqual([
    ...[true, false, true, false],
    ...[true, false, true],
  ]);
});
