import { expect, test } from "bun:test";
import { createFairTurns, MAX_TURN_MS, type TimedTurn } from "./fair-turns.ts";

/** Turns whose clock advances by work only. */
function createTurns() {
  let time = 0;
  const turns = createFairTurns(() => time);
  /** Names of those that had a turn. */
  const order: string[] = [];
  const workFor = (ms: number) => {
    time += ms;
  };
  const run = async (name: string, turn: Omit<TimedTurn, "owner">, worked: number) => {
    await turns.take({ owner: name.charAt(0), ...turn });
    order.push(name);
    workFor(worked);
  };
  return { ...turns, order, run, workFor };
}

const turn = { ms: MAX_TURN_MS };

test("a turn of the event loop ends when it has done enough", async () => {
  const { order, run } = createTurns();
  const names = ["a1", "a2", "b1", "a3", "b2"];

  const all = Promise.all(names.map((name) => run(name, { ms: MAX_TURN_MS / 2 }, 4)));
  await Promise.resolve();
  const first = order.length;
  await new Promise(setImmediate);

  expect(first).toBe(2);
  expect(order).toHaveLength(4);
  await all;
});

test("a turn of the event loop is as long as the other work since the last one", async () => {
  const { order, run, workFor } = createTurns();
  const owners = Array.from({ length: 20 }, (_, at) => String.fromCharCode(97 + at));
  let loops = 0;
  const workBesides = () => {
    workFor(40);
    loops += 1;
    if (order.length < owners.length) setImmediate(workBesides);
  };

  const all = Promise.all(owners.map((name) => run(name, turn, MAX_TURN_MS)));
  setImmediate(workBesides);
  await all;

  expect(loops).toBeLessThan(10);
});

test("the owner that has worked less has the next turn, independent of estimates", async () => {
  const { order, run } = createTurns();

  await Promise.all([
    ...["a1", "a2", "a3"].map((name) => run(name, turn, 30)),
    ...["b1", "b2", "b3", "b4", "b5"].map((name) => run(name, { ms: 100 }, 10)),
  ]);

  expect(order).toEqual(["a1", "b1", "b2", "b3", "a2", "b4", "b5", "a3"]);
});

test("the work of others in a turn counts up to 16 times the estimate", async () => {
  const { order, run } = createTurns();
  await run("a", { ms: 1 }, 200);
  await run("b", turn, 20);
  await run("d", turn, 12);

  await Promise.all(["c", "b", "a", "d"].map((name) => run(name, turn, 10)));

  expect(order.slice(3)).toEqual(["c", "d", "a", "b"]);
});

test("an owner that was idle does not delay the others for as long as it was", async () => {
  const { order, run } = createTurns();
  for (let count = 0; count < 5; count++) await run("b", turn, 10);
  order.length = 0;

  await Promise.all(["a1", "a2", "a3", "b1", "b2"].map((name) => run(name, turn, 10)));

  expect(order).toEqual(["a1", "b1", "a2", "b2", "a3"]);
});

test("an owner that sends more while it waits has its part of the time", async () => {
  const { order, run, workFor } = createTurns();
  let time = 0;
  let isOver = false;
  const waiting: Promise<void>[] = [];
  const sendShort = async (owner: string) => {
    while (!isOver) await run(owner, { ms: 0.5 }, 0.5);
  };
  const sendLarge = async () => {
    for (; time < 200; time++) {
      waiting.push(run("large", turn, MAX_TURN_MS));
      workFor(1);
      await new Promise(setImmediate);
    }
    isOver = true;
  };

  await Promise.all([...[..."abcdefghij"].map(sendShort), sendLarge()]);
  const large = order.filter((name) => name === "large").length;
  await Promise.all(waiting);

  expect(large).toBeGreaterThan(5);
});

test("short work has a turn before many owners that have worked as much", async () => {
  const { order, run } = createTurns();
  const owners = Array.from({ length: 20 }, (_, at) => String.fromCharCode(97 + at));
  const all = Promise.all([...owners, ...owners, ...owners].map((name) => run(name, turn, 10)));
  while (order.length < owners.length + 2) await new Promise(setImmediate);

  await run("z", { ms: 1 }, 1);

  expect(order.length).toBeLessThan(owners.length + 5);
  await all;
});

test("work that has begun precedes other work of its owner", async () => {
  const { order, run } = createTurns();

  await Promise.all([
    ...["a1", "a2", "a3"].map((name) => run(name, turn, 10)),
    run("b", turn, 10),
    run("a1 again", { ...turn, continues: true }, 10),
  ]);

  expect(order).toEqual(["a1", "b", "a1 again", "a2", "a3"]);
});

test("measured work waits for its next turn when its owner has worked for one", async () => {
  const { measure, workFor } = createTurns();
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

test.each([
  ["short turns", { ms: 1, events: 1000, isLarge: false }],
  ["large events, which wait for turns of their own", { ms: 4, events: 250, isLarge: true }],
])(
  "an owner with long turns has as much time as one with %s",
  async (_, { ms, events, isLarge }) => {
    const { measure, take, workFor } = createTurns();
    const worked = { long: 0, other: 0 };
    const run = async (owner: keyof typeof worked, each: number, waits = false) => {
      const work = measure(owner);
      await work.yieldIfDue();
      while (worked.other < events * ms) {
        if (waits) await work.exclude(async () => await take({ owner, ms: 100 }));
        workFor(each);
        worked[owner] += each;
        await work.yieldIfDue();
      }
    };

    await Promise.all([run("long", 50), run("other", ms, isLarge)]);

    expect(worked.other / worked.long).toBeCloseTo(1, 1);
  },
);

test("owners that share turns of the event loop have the same time", async () => {
  const { measure, workFor } = createTurns();
  let total = 0;
  const read = async (owner: string) => {
    const work = measure(owner);
    let worked = 0;
    await work.yieldIfDue();
    while (total < 5000) {
      workFor(1);
      worked += 1;
      total += 1;
      await work.yieldIfDue();
    }
    return worked;
  };

  const worked = await Promise.all(Array.from({ length: 50 }, (_, at) => read(`stream ${at}`)));

  expect(Math.max(...worked) - Math.min(...worked)).toBeLessThan(20);
});

test("bodies that take long to parse leave as much time to streams", async () => {
  const { measure, take, workFor } = createTurns();
  const worked = { bodies: 0, stream: 0 };
  const parse = async () => {
    while (worked.stream < 1000) {
      await take({ owner: "bodies", ms: 80 });
      workFor(300);
      worked.bodies += 300;
    }
  };
  const read = async () => {
    const work = measure("stream");
    await work.yieldIfDue();
    while (worked.stream < 1000) {
      workFor(1);
      worked.stream += 1;
      await work.yieldIfDue();
    }
  };

  await Promise.all([parse(), read()]);

  expect(worked.bodies).toBeLessThan(2000);
});

test("many owners with short steps do not delay others by a full turn each", async () => {
  const { measure, order, run, workFor } = createTurns();
  let isOver = false;
  let loops = 0;
  const workBesides = () => {
    workFor(40);
    loops += 1;
    if (!isOver) setImmediate(workBesides);
  };
  const read = async (owner: string) => {
    const work = measure(owner);
    while (!isOver) {
      await new Promise(setImmediate);
      work.start();
      workFor(1);
      await work.yieldIfDue();
    }
  };

  setImmediate(workBesides);
  const streams = Promise.all(Array.from({ length: 50 }, (_, at) => read(`stream ${at}`)));
  while (loops < 300) await new Promise(setImmediate);
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) await run(name, { ms: 1 }, 1);
  isOver = true;
  await streams;

  expect(order).toHaveLength(5);
  expect(loops - 300).toBeLessThan(20);
});

test("the time of an excluded call is not counted as work", async () => {
  const { measure, workFor } = createTurns();
  const work = measure("a");
  await work.yieldIfDue();

  work.start();
  await work.exclude(async () => workFor(2 * MAX_TURN_MS));

  expect(work.yieldIfDue()).toBeUndefined();
});
