/** Huge evaluations leave their turns to those of other owners, in two workers. */
import { expect, test } from "bun:test";
import { Worker } from "node:worker_threads";
import { until } from "../../../test/kit/until.ts";
import { passTurn } from "../worker-turn.ts";
import type { EvaluationHost } from "./evaluation-host.ts";
import type { TaskOutcome } from "./messages.ts";
import { createHugeQueue, createWorker, type WorkerJob } from "./worker-pool.ts";

interface StartOptions extends Pick<WorkerJob, "host" | "signal"> {
  bytes?: number;
}

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
  /** Returns what a running job calls. */
  const hostOf = (owner: string) => jobs.get(owner)?.job.host as EvaluationHost;
  return {
    started,
    async start(owner: string, { bytes = 1, ...job }: StartOptions = {}) {
      const input = { bytes: new Uint8Array(bytes) };
      const task = { name: "body", input } as WorkerJob["task"]; // the queue reads only its size
      void run({ owner, task, ...job });
      await Bun.sleep(0);
    },
    async end(owner: string) {
      jobs.get(owner)?.end({ value: undefined });
      await Bun.sleep(0);
    },
    /** Leaves the turn of a running job and takes another one. The outcome is `waiting` until it has that. */
    async pass(owner: string, heldSize = 0) {
      const pass = { outcome: "waiting" };
      passTurn(hostOf(owner), heldSize).then(
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
    hostOf,
  };
}

test("a job starts in the worker whose job has left its turn", async () => {
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

test("the text that a job holds counts for those that have left their turn", async () => {
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

test("a job keeps its turn while those that have left theirs take 64 MiB", async () => {
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

test("a job has its turn again when all of its calls have returned", async () => {
  const { started, start, end, hostOf } = startQueue();
  for (const owner of ["a", "b"]) await start(owner);
  const { leaveTurn, takeTurn } = hostOf("a");
  await leaveTurn(0);
  await leaveTurn(0);
  await takeTurn();
  await start("c");
  const second = takeTurn();
  await start("d");
  const before = [...started];

  await end("c");
  await second;

  expect(before).toEqual(["a in one", "b in other", "c in one"]);
  expect(started).toEqual(before);
});

test("calls of a job that run without its turn count once, and return together", async () => {
  const heldSize = 20 * 1024 * 1024;
  const { started, start, end, hostOf } = startQueue();
  await start("a");
  const { leaveTurn, takeTurn } = hostOf("a");
  for (let round = 0; round < 2; round++) {
    await Promise.all([leaveTurn(heldSize), leaveTurn(heldSize)]);
    await takeTurn();
    await takeTurn();
  }
  await leaveTurn(heldSize);
  const returned = takeTurn();
  await leaveTurn(heldSize);
  await Promise.all([returned, takeTurn()]);
  await start("b");

  await hostOf("b").leaveTurn(3 * heldSize);
  for (const owner of ["c", "d"]) await start(owner);
  await end("c");

  expect(started).toEqual(["a in one", "b in other", "c in other", "d in other"]);
});

test("jobs that leave their turns are divided between the workers", async () => {
  const { started, start, hostOf } = startQueue();

  for (const owner of ["a", "b", "c"]) {
    await start(owner);
    await hostOf(owner).leaveTurn(0);
  }

  expect(started).toEqual(["a in one", "b in other", "c in one"]);
});

test("the files that a job fetches are not fetched further when it has ended", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const fetchAttachment: EvaluationHost["fetchAttachment"] = (_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const { start, end, hostOf } = startQueue();
  await start("a", { host: { fetchAttachment } });
  void hostOf("a").fetchAttachment("https://example.com/", { total_ms: 10 });

  await end("a");

  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

test("a job that ends while it has left its turn is not counted any more", async () => {
  const heldSize = 60 * 1024 * 1024;
  const { started, start, end, hostOf } = startQueue();
  for (const owner of ["a", "b"]) await start(owner);
  await hostOf("a").leaveTurn(heldSize);
  await end("a");

  await hostOf("b").leaveTurn(heldSize);
  for (const owner of ["c", "d"]) await start(owner);

  expect(started.slice(2)).toEqual(["c in one", "d in other"]);
});

/** Ends each job after as many milliseconds as its body has bytes. */
const SLEEPER = `const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ job, task }) =>
  setTimeout(() => parentPort.postMessage({ kind: "done", job, outcome: { value: job } }), task.input.bytes.length));`;

const createSleeper = () => {
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  const startThread = () => new Worker(SLEEPER, { eval: true }).once("exit", () => resolve());
  const worker = createWorker(startThread, { idleMs: 50 });
  const run = (ms: number) => {
    const input = { bytes: new Uint8Array(ms) };
    return worker.run({ owner: "a", task: { name: "body", input } as WorkerJob["task"] });
  };
  return { ...worker, exited, run };
};

test("a worker exits when it is idle, also without a job, and starts again", async () => {
  const { startIdle, isRunning, run, exited } = createSleeper();

  startIdle();
  expect(isRunning()).toBe(true);
  await exited;
  expect(isRunning()).toBe(false);

  expect(await run(0)).toEqual({ value: 1 });
});

test("a job after the failure of a worker runs in the next one", async () => {
  let started = 0;
  const startThread = () =>
    new Worker(started++ === 0 ? "process.exit(1);" : SLEEPER, { eval: true });
  const { run, isRunning } = createWorker(startThread);
  const input = { bytes: new Uint8Array(0) };
  const job = { owner: "a", task: { name: "body", input } as WorkerJob["task"] };

  const failing = run(job);
  await until(() => !isRunning());
  const next = run(job);

  expect(await failing).toMatchObject({ error: { code: "internal" } });
  expect(await next).toEqual({ value: 2 });
});

test("a worker does not exit while it has a job", async () => {
  const { startIdle, run } = createSleeper();

  startIdle();
  const running = run(200);
  startIdle();
  expect(await run(0)).toEqual({ value: 2 });

  expect(await running).toEqual({ value: 1 });
});
