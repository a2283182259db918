import { expect, test } from "bun:test";
import { createFairTurns, type FairTurns, MAX_TURN_MS, type TimedTurn } from "./fair-turns.ts";

/** Returns a function that takes turns, and the names of those that had one, in their order. */
function recordTurns({ take }: FairTurns) {
  const order: string[] = [];
  const run = async (name: string, turn: Omit<TimedTurn, "owner"> & { owner?: string }) => {
    await take({ owner: name.charAt(0), ...turn });
    order.push(name);
  };
  return { order, run };
}

/** Blocks the thread. */
function workFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test("a turn of the event loop ends when it has done enough", async () => {
  const { order, run } = recordTurns(createFairTurns());
  const names = ["a1", "a2", "b1", "a3", "b2"];

  const all = Promise.all(names.map((name) => run(name, { ms: MAX_TURN_MS / 2 })));
  await Promise.resolve();
  const first = order.length;
  await new Promise(setImmediate);

  expect(first).toBe(2);
  expect(order).toHaveLength(4);
  await all;
});

test("the owner that has worked less has the next turn", async () => {
  const { order, run } = recordTurns(createFairTurns());
  const large = ["a1", "a2", "a3"].map((name) => run(name, { ms: 100 }));
  const small = ["b1", "b2", "b3", "b4"].map((name) => run(name, { ms: MAX_TURN_MS / 2 }));

  await Promise.all([...large, ...small]);

  expect(order).toEqual(["a1", "b1", "b2", "a2", "b3", "b4", "a3"]);
});

test("an owner that was idle does not delay the others for as long as it was", async () => {
  const { order, run } = recordTurns(createFairTurns());
  for (let turn = 0; turn < 10; turn++) await run("b", { ms: MAX_TURN_MS });
  order.length = 0;

  await Promise.all(["a1", "a2", "a3", "b1", "b2"].map((name) => run(name, { ms: MAX_TURN_MS })));

  expect(order.slice(0, 4).toSorted()).toEqual(["a1", "a2", "b1", "b2"]);
});

test("work that has begun precedes other work of its owner", async () => {
  const { order, run } = recordTurns(createFairTurns());

  await Promise.all([
    ...["a1", "a2", "a3"].map((name) => run(name, { ms: MAX_TURN_MS })),
    run("b", { ms: MAX_TURN_MS }),
    run("a1 again", { ms: MAX_TURN_MS, continues: true }),
  ]);

  expect(order).toEqual(["a1", "b", "a1 again", "a2", "a3"]);
});

test("measured work waits for its next turn when its owner has worked for one", async () => {
  const { measure } = createFairTurns();
  const [one, two, other] = [measure("a"), measure("a"), measure("b")];
  expect(one.yieldIfDue()).toBeUndefined();
  expect(two.yieldIfDue()).toBeUndefined();

  one.start();
  workFor(MAX_TURN_MS);
  const turns = [one.yieldIfDue()];
  for (const work of [two, other]) {
    work.start();
    turns.push(work.yieldIfDue());
  }

  expect(turns).toEqual([expect.any(Promise), expect.any(Promise), expect.any(Promise)]);
  await Promise.all(turns);
});

test("an owner with long turns has as much time as one with short turns", async () => {
  const { measure } = createFairTurns();
  const worked = { long: 0, short: 0 };
  const run = async (owner: keyof typeof worked, ms: number) => {
    const work = measure(owner);
    const end = performance.now() + 300;
    await work.yieldIfDue();
    while (performance.now() < end) {
      workFor(ms);
      worked[owner] += ms;
      await work.yieldIfDue();
    }
  };

  await Promise.all([run("long", 25), run("short", 1)]);

  expect(worked.short / worked.long).toBeGreaterThan(0.5);
});

test("the time of a call is not counted as work", async () => {
  const { measure } = createFairTurns();
  const work = measure("a");
  await work.yieldIfDue();

  work.start();
  await work.call(() => Bun.sleep(2 * MAX_TURN_MS));

  expect(work.yieldIfDue()).toBeUndefined();
});
