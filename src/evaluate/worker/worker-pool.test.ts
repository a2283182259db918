/** Huge evaluations pass their turns to those of other owners, in two workers. */
import { expect, test } from "bun:test";
import type { TaskOutcome } from "./messages.ts";
import { createHugeQueue, type WorkerJob } from "./worker-pool.ts";

/** Starts jobs that run until they are ended, and records the worker of each. */
function startQueue() {
  const started: string[] = [];
  const jobs = new Map<string, { job: WorkerJob; end: (outcome: TaskOutcome) => void }>();
  const createRunner = (worker: string) => (job: WorkerJob) => {
    started.push(`${job.owner} in ${worker}`);
    const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
    jobs.set(job.owner, { job, end: resolve });
    return promise;
  };
  const run = createHugeQueue([createRunner("one"), createRunner("other")]);
  return {
    started,
    async start(owner: string, options: { bytes?: number; signal?: AbortSignal } = {}) {
      const input = { bytes: new Uint8Array(options.bytes ?? 1) };
      const task = { name: "body", input } as WorkerJob["task"]; // the queue reads only its size
      void run({ owner, task, signal: options.signal });
      await Bun.sleep(0);
    },
    async end(owner: string) {
      jobs.get(owner)?.end({ value: undefined });
      await Bun.sleep(0);
    },
    /** Passes the turn of a running job. The outcome is `waiting` until it has the turn again. */
    async pass(owner: string, heldBytes = 0) {
      const pass = { outcome: "waiting" };
      jobs
        .get(owner)
        ?.job.host?.passTurn?.(heldBytes)
        .then(
          () => {
            pass.outcome = "resumed";
          },
          (thrown) => {
            pass.outcome = thrown.code;
          },
        );
      await Bun.sleep(0);
      return pass;
    },
  };
}

test("a job starts in the worker whose job has passed its turn", async () => {
  const { started, start, pass } = startQueue();
  for (const owner of ["a", "b", "c"]) await start(owner);

  await pass("b");

  expect(started).toEqual(["a in one", "b in other", "c in other"]);
});

test("a job that has its turn again counts for its worker", async () => {
  const { started, start, pass, end } = startQueue();
  for (const owner of ["a", "b", "c"]) await start(owner);
  const { outcome } = await pass("a");
  await end("c");
  await end("b");

  await start("d");

  expect(outcome).toBe("waiting");
  expect(started).toEqual(["a in one", "b in other", "c in one", "d in other"]);
});

test("a job continues in its worker, and another one keeps its turn meanwhile", async () => {
  const { start, pass, end } = startQueue();
  for (const owner of ["a", "b", "c"]) await start(owner);
  const first = await pass("a");

  const second = await pass("b");
  const before = [first, second].map(({ outcome }) => outcome);
  await end("c");
  await Bun.sleep(0);

  expect(before).toEqual(["waiting", "resumed"]);
  expect(first.outcome).toBe("resumed");
});

test("a job that fails while others have its turn leaves its worker to others", async () => {
  const { started, start, pass, end } = startQueue();
  for (const owner of ["a", "b", "c"]) await start(owner);
  await pass("a");
  await end("a");
  for (const owner of ["c", "b"]) await end(owner);

  for (const owner of ["d", "e"]) await start(owner);

  expect(started.slice(3)).toEqual(["d in one", "e in other"]);
});

test("the text that a job holds counts for those that have passed their turn", async () => {
  const { start, pass } = startQueue();
  for (const owner of ["a", "b", "c", "d"]) await start(owner);
  const held = 40 * 1024 * 1024;

  const passed = [await pass("a", held), await pass("b", held)];

  expect(passed.map(({ outcome }) => outcome)).toEqual(["waiting", "resumed"]);
});

test("a job that has ended does not count for its worker", async () => {
  const { started, start, end } = startQueue();
  await start("a");
  await end("a");

  await start("b");

  expect(started).toEqual(["a in one", "b in one"]);
});

test("a job keeps its turn while those that have passed theirs take 64 MiB", async () => {
  const bytes = 40 * 1024 * 1024;
  const { started, start, pass, end } = startQueue();
  for (const owner of ["a", "b"]) await start(owner, { bytes });
  for (const owner of ["c", "d"]) await start(owner);
  const first = await pass("a");

  const kept = await pass("b");
  const before = [...started];
  for (const owner of ["c", "d"]) await end(owner);
  await start("e");
  const passed = await pass("b");

  expect(before).toEqual(["a in one", "b in other", "c in one"]);
  expect([first, kept, passed].map(({ outcome }) => outcome)).toEqual([
    "resumed",
    "resumed",
    "waiting",
  ]);
});

test("a job whose client disconnects while others have its turn ends", async () => {
  const client = new AbortController();
  const { start, pass, end } = startQueue();
  await start("a", { signal: client.signal });
  for (const owner of ["b", "c"]) await start(owner);

  const passed = await pass("a");
  client.abort();
  await end("c");

  expect(passed).toEqual({ outcome: "client_closed" });
});
