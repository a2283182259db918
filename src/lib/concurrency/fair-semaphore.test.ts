import { expect, test } from "bun:test";
import { seeded } from "../../../test/kit/random.ts";
import { createFairSemaphore } from "./fair-semaphore.ts";

const LIMITS = { max: 9, perOwner: 9, sizePerOwner: 9, waiting: { max: 9, full: Error } };

test("owners take turns, none runs more than its share, and a failure frees its slot", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, max: 2, perOwner: 1 });
  const began: string[] = [];
  const running = new Map<string, number>();
  let together = 0;

  const tasks = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) =>
    semaphore({ owner: name.charAt(0), size: 1 }, async () => {
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

test("the running tasks of an owner have a total size, and a larger one runs without them", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, sizePerOwner: 10 });
  const ended: string[] = [];
  let held = 0;

  const tasks = [4, 6, 5, 20, 3].map((size) =>
    semaphore({ owner: "a", size }, async () => {
      held += size;
      expect(held).toBeLessThanOrEqual(Math.max(10, size));
      await Bun.sleep(1);
      held -= size;
      ended.push(`a${size}`);
    }),
  );
  const other = semaphore({ owner: "b", size: 9 }, async () => void ended.push("b"));
  await Promise.all([...tasks, other]);

  expect(ended).toEqual(["b", "a4", "a6", "a5", "a20", "a3"]);
});

test("a task that leaves its turn continues after others that wait", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, max: 1 });
  const order: string[] = [];

  const long = semaphore({ owner: "a", size: 1 }, async (turn) => {
    order.push("a");
    turn.leave();
    await turn.take();
    order.push("a again");
  });
  const other = semaphore({ owner: "b", size: 1 }, async () => void order.push("b"));
  await Promise.all([long, other]);

  expect(order).toEqual(["a", "b", "a again"]);
});

test("a task that leaves its turn continues before others of its owner start", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, max: 2, perOwner: 1 });
  const order: string[] = [];
  const run = (owner: string, name: string) =>
    semaphore({ owner, size: 1 }, async (turn) => {
      order.push(name);
      turn.leave();
      await turn.take();
      order.push(`${name} again`);
    });

  await Promise.all([run("a", "a1"), run("a", "a2"), run("b", "b"), run("c", "c")]);

  expect(order.slice(0, 4)).toEqual(["a1", "b", "c", "a1 again"]);
  expect(order.slice(-2)).toEqual(["c again", "a2 again"]);
});

test("a task that fails while it waits to continue leaves its turn to others", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, max: 1, perOwner: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();

  const failing = semaphore({ owner: "a", size: 1 }, async (turn) => {
    turn.leave();
    void turn.take();
    throw new Error("no");
  });
  const other = semaphore({ owner: "b", size: 1 }, () => promise);
  await expect(failing).rejects.toThrow("no");
  resolve();
  await other;

  expect(await semaphore({ owner: "a", size: 1 }, async () => "runs")).toBe("runs");
});

test("a task that ends without a turn lets the next one of its owner start", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, max: 2, perOwner: 1 });
  const away = semaphore({ owner: "a", size: 1 }, async (turn) => {
    turn.leave();
    await Bun.sleep(1);
  });
  const next = semaphore({ owner: "a", size: 1 }, async () => "runs");

  await away;

  expect(await next).toBe("runs");
});

test("an owner whose tasks take another turn waits once for the other owners", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, max: 1, perOwner: 2 });
  const order: string[] = [];
  const gates = new Map<string, () => void>();
  const waitFor = (gate: string) =>
    new Promise<void>((resolve) => {
      gates.set(gate, resolve);
    });
  const open = async (gate: string) => {
    gates.get(gate)?.();
    await Bun.sleep(0);
  };
  const start = (name: string, leaves: boolean) => {
    const task = semaphore({ owner: name.charAt(0), size: 1 }, async (turn) => {
      if (leaves) turn.leave();
      if (leaves || name === "x") await waitFor(name);
      if (leaves) await turn.take();
      order.push(name);
    });
    return task;
  };
  const tasks = [start("a1", true), start("a2", true)];
  await Bun.sleep(0);
  tasks.push(start("x", false), start("a3", false), start("b", false));

  await open("a1");
  tasks.push(start("c", false));
  await open("a2");
  await open("x");
  await Promise.all(tasks);

  expect(order).toEqual(["x", "b", "a1", "c", "a2", "a3"]);
});

test("a task whose resource is in use waits for it, and others precede it", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, max: 2, perOwner: 1 });
  const order: string[] = [];
  const used = new Set<string>();
  const run = (owner: string, name: string) => {
    const claim = () => !used.has(name) && Boolean(used.add(name));
    const resource = { claim, release: () => void used.delete(name) };
    return semaphore({ owner, size: 1, resource }, async () => {
      order.push(owner);
      await Bun.sleep(1);
    });
  };

  await Promise.all([run("a", "one"), run("b", "one"), run("c", "other"), run("d", "one")]);

  expect(order).toEqual(["a", "c", "b", "d"]);
  expect(used.size).toBe(0);
});

test("a task that has left its turn counts for its owner, and not for others", async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, max: 1, perOwner: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const away = semaphore({ owner: "a", size: 1 }, async (turn) => {
    turn.leave();
    await promise;
    await turn.take();
    order.push("a1");
  });
  const next = semaphore({ owner: "a", size: 1 }, async () => void order.push("a2"));

  await semaphore({ owner: "b", size: 1 }, async () => void order.push("b"));
  resolve();
  await Promise.all([away, next]);

  expect(order).toEqual(["b", "a1", "a2"]);
});

test("tasks that leave and take turns in any order keep the limits, and all end", async () => {
  const { below } = seeded(7);
  for (let round = 0; round < 100; round++) {
    const limits = { max: 1 + below(4), perOwner: 1 + below(3) };
    const semaphore = createFairSemaphore(limits);
    const started = new Map<string, number>();
    let working = 0;
    const work = async () => {
      working += 1;
      expect(working).toBeLessThanOrEqual(limits.max);
      for (let step = below(3); step > 0; step--) await Promise.resolve();
      working -= 1;
    };
    const tasks = Array.from({ length: 1 + below(20) }, async () => {
      const owner = `owner ${below(4)}`;
      for (let step = below(5); step > 0; step--) await Promise.resolve();
      await semaphore({ owner, size: 1 }, async (turn) => {
        started.set(owner, (started.get(owner) ?? 0) + 1);
        expect(started.get(owner)).toBeLessThanOrEqual(limits.perOwner);
        await work();
        for (let breaks = below(3); breaks > 0; breaks--) {
          turn.leave();
          for (let step = below(3); step > 0; step--) await Promise.resolve();
          await turn.take();
          await work();
        }
        started.set(owner, (started.get(owner) ?? 0) - 1);
        if (below(4) === 0) throw new Error("no");
      }).catch(() => {});
    });
    await Promise.all(tasks);
  }
});
