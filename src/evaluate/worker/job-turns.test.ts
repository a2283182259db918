import { expect, test } from "bun:test";
import { createJobTurns } from "./job-turns.ts";

/** Works without a turn of the event loop, as a detector does. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test("a job waits until no smaller job of its owner runs, and not for larger ones", async () => {
  const turns = createJobTurns({ minWorkMs: 0 });
  const large = turns.add("a", 1000);
  const small = turns.add("a", 10);
  const order: string[] = [];

  const waiting = large.wait().then(() => order.push("large"));
  for (let call = 0; call < 3; call++) {
    await Bun.sleep(5);
    await small.wait();
    order.push("small");
  }
  small.end();
  await waiting;

  expect(order).toEqual(["small", "small", "small", "large"]);
});

test("smaller jobs that never end delay a job for a limited time", async () => {
  const turns = createJobTurns({ maxWaitMs: 10, minWorkMs: 0 });
  const large = turns.add("a", 1000);
  turns.add("a", 10);

  await large.wait();
  await large.wait();
});

test("a job that has run for a short time does not wait", async () => {
  const turns = createJobTurns({ minWorkMs: 60_000 });
  const large = turns.add("a", 1000);
  turns.add("a", 10);
  let isNext = false;
  setImmediate(() => {
    isNext = true;
  });

  await large.wait();

  expect(isNext).toBe(false);
});

test("many jobs of one owner work as much as the one of another", async () => {
  const turns = createJobTurns({ minWorkMs: 0 });
  const worked = { many: 0, one: 0 };
  let isOver = false;
  const run = async (owner: keyof typeof worked, size: number, parts: number) => {
    const turn = turns.add(owner, size);
    for (let part = 0; part < parts && !isOver; part++) {
      work(2);
      worked[owner] += 1;
      await turn.wait();
    }
    turn.end();
  };

  const others = Array.from({ length: 12 }, () => run("many", 70, 100));
  await run("one", 300, 20);
  const before = worked.many;
  isOver = true;
  await Promise.all(others);

  expect(worked.one).toBe(20);
  // 12 begin at once; then they take turns.
  expect(before).toBeLessThan(12 + 2 * 20);
});

test("jobs that arrive together begin after the job of an owner that has worked less", async () => {
  const turns = createJobTurns();
  const order: string[] = [];
  const run = async (owner: string, name: string) => {
    const turn = turns.add(owner, 10);
    await turn.begin();
    work(5);
    order.push(name);
    turn.end();
  };

  await Promise.all([
    ...Array.from({ length: 12 }, () => run("a", "a")),
    Bun.sleep(0).then(() => run("b", "b")),
  ]);

  expect(order.indexOf("b")).toBeLessThan(8);
  expect(order).toHaveLength(13);
});

test("jobs whose calls return together continue after the job of an owner that has worked less", async () => {
  const turns = createJobTurns({ minWorkMs: 0 });
  const { promise: reply, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const run = async (name: string) => {
    const turn = turns.add("a", 10);
    await turn.call(() => reply);
    await turn.begin();
    work(5);
    order.push(name);
    turn.end();
  };
  const jobs = Array.from({ length: 12 }, () => run("a"));
  const other = turns.add("b", 300);

  work(5);
  const waited = other.wait().then(() => {
    order.push("b");
    other.end();
  });
  resolve();
  await Promise.all([...jobs, waited]);

  expect(order.indexOf("b")).toBeLessThan(3);
});

test("messages are read between the turns of two jobs", async () => {
  const turns = createJobTurns({ minWorkMs: 0 });
  const { port1, port2 } = new MessageChannel();
  let turnsTaken = 0;
  let turnsBefore: number | undefined;
  port2.onmessage = () => {
    turnsBefore ??= turnsTaken;
  };

  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const turn = turns.add("a", 70);
      await turn.wait();
      turnsTaken += 1;
      port1.postMessage("job");
      work(2);
      turn.end();
    }),
  );
  port2.close();

  expect(turnsBefore).toBe(1);
});

test("a job that waits for a remote detector delays no other", async () => {
  const turns = createJobTurns({ minWorkMs: 0 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const remote = turns.add("a", 10);
  const other = turns.add("b", 1000);

  const called = remote.call(() => promise);
  work(5);
  await other.wait();
  resolve();
  await called;
});

test("a job with short calls delays another owner only as long as that one has worked", async () => {
  const turns = createJobTurns({ minWorkMs: 0 });
  const long = turns.add("a", 1000);
  work(200);
  const short = turns.add("b", 10);
  let calls = 0;
  let isOver = false;
  const callAgain = async () => {
    for (; !isOver; calls++) {
      await short.call(() => Bun.sleep(20));
      await short.begin();
      work(1);
    }
  };

  const calling = callAgain();
  await long.wait();
  isOver = true;
  long.end();
  await calling;

  expect(calls).toBeLessThan(15);
});

test("a job does not wait for a smaller one of its owner that waits for a remote detector", async () => {
  const turns = createJobTurns({ minWorkMs: 0, maxWaitMs: 60_000 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const large = turns.add("a", 1000);
  const small = turns.add("a", 10);
  const called = small.call(() => promise);

  await large.wait();
  resolve();
  await called;
});
