import { expect, test } from "bun:test";
import { createFairSemaphore } from "./fair-semaphore.ts";

test("owners take turns, none runs more than its share, and a failure frees its slot", async () => {
  const semaphore = createFairSemaphore({ max: 2, perOwner: 1, maxWaiting: 9, full: Error });
  const began: string[] = [];
  const running = new Map<string, number>();
  let together = 0;

  const tasks = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) =>
    semaphore(name.charAt(0), async () => {
      began.push(name);
      const owner = name.charAt(0);
      running.set(owner, (running.get(owner) ?? 0) + 1);
      expect(running.get(owner)).toBe(1);
      expect(++together).toBeLessThanOrEqual(2);
      await Bun.sleep(1);
      together -= 1;
      running.set(owner, 0);
      if (name === "a1") throw new Error("no");
    }),
  );
  const ended = await Promise.allSettled(tasks);

  expect(began.slice(0, 2)).toEqual(["a1", "b1"]);
  expect(began.indexOf("c1")).toBeLessThan(began.indexOf("a3"));
  expect(began).toHaveLength(6);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", ...Array(5).fill("fulfilled")]);
});
