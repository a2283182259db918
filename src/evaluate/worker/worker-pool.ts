/** Workers that evaluate large bodies: started on demand, terminated when idle. */
import { Worker } from "node:worker_threads";
import { AppError } from "../../contract/errors.ts";
import {
  createFairSemaphore,
  type FairLimits,
  type FairTurn,
  type HeldTurn,
} from "../../lib/concurrency/fair-semaphore.ts";
import type { EvaluationHost, PolicySelection } from "./evaluation-host.ts";
import { checkClient, createLeaveBudget } from "./leave-budget.ts";
import {
  type ClonedSelection,
  captureOutcome,
  type MessageFromWorker,
  type MessageToWorker,
  type TaskOutcome,
  type WorkerTask,
} from "./messages.ts";
import { HUGE_BYTES, measureTask } from "./run-in-worker.ts";

/** Terminating an idle worker returns the memory that a huge body took. */
const IDLE_MS = 30_000;

export interface WorkerJob {
  task: WorkerTask;
  /** Id of the consumer, collector or token that the evaluation belongs to: owners take turns. */
  owner: string;
  /** Serves the calls of the worker, if the task has any. */
  host?: Partial<EvaluationHost>;
  /** Aborted when the client disconnects: a job that still waits then is dropped. */
  signal?: AbortSignal | undefined;
}

export type RunJob = (job: WorkerJob) => Promise<TaskOutcome>;

export interface WorkerPool {
  /** Bodies over 64 KiB, up to 1 MiB. */
  large: RunJob;
  /** Larger bodies, those with many texts, and documents of any size. */
  huge: RunJob;
  /** Events that administrators replay: together they have one worker, so that one is left for evaluations. */
  replays: RunJob;
  /** Stage 2 of the injection model. */
  models: RunJob;
}

export type EvaluationWorker = Exclude<keyof WorkerPool, "models" | "replays">;

declare module "../../deps.ts" {
  interface Deps {
    /** Workers for large evaluations. */
    workers: WorkerPool;
  }
}

export function createWorkerPool(): WorkerPool {
  const startHuge = () => createWorker(() => startEvaluationWorker("huge")).run;
  const huge = createHugeQueue([startHuge(), startHuge()]);
  return { large: createLarge(), huge, replays: createReplays(huge), models: createModels() };
}

/**
 * Long conversations have two workers, and those of one owner have one of them: its longest detector delays only owners of
 * the same worker. There, bodies take turns: an owner has a part of the slots, and others wait for at most as much text of it
 * as one body can have. A body leaves its slot while it waits for a worker for huge bodies, or for a remote detector. The
 * other worker starts after the first body: beside busy ones, that takes more than a second.
 */
function createLarge(): RunJob {
  const start = () => createWorker(() => startEvaluationWorker("large"));
  const workers = [start(), start()] as const;
  const runLeaving = createLeaveBudget();
  return createQueue({ max: 32, perOwner: 12, sizePerOwner: HUGE_BYTES }, (job) => ({
    run: async (turn, size) => {
      const isFirst = !workers.some(({ isRunning }) => isRunning());
      try {
        return await runLeaving(findWorker(workers, job).run, { job, turn, size });
      } finally {
        if (isFirst) for (const { startIdle } of workers) startIdle();
      }
    },
  }));
}

/** Returns the worker that evaluates other bodies of the owner, or the one with fewer bodies. */
function findWorker([one, other]: readonly [JobRunner, JobRunner], { owner }: WorkerJob) {
  const isOwned = ({ jobs }: JobRunner) => jobs.values().some((job) => job.owner === owner);
  if (isOwned(one) || isOwned(other)) return isOwned(one) ? one : other;
  return one.jobs.size <= other.jobs.size ? one : other;
}

/**
 * Evaluating takes up to a hundred times the memory of the body, and seconds. Two jobs run at a time, one in each worker, and
 * one owner never has both. A job leaves its turn while it waits for other servers, between documents and between detectors.
 * It continues in the same worker.
 */
export function createHugeQueue([runInOne, runInOther]: readonly [RunJob, RunJob]): RunJob {
  const one = { run: runInOne, isBusy: false, jobs: 0 };
  const other = { run: runInOther, isBusy: false, jobs: 0 };
  const runLeaving = createLeaveBudget();
  /** Returns a free worker: of two, the one with fewer jobs that have left their turns. */
  const select = () => {
    if (one.isBusy) return other;
    return other.isBusy || one.jobs <= other.jobs ? one : other;
  };
  return createQueue({ max: 2, perOwner: 1 }, (job) => {
    let worker: typeof one | undefined;
    // A job that has left its turn has a worker, which another one may use.
    const claim = () => {
      worker ??= select();
      if (worker.isBusy) return false;
      worker.isBusy = true;
      return true;
    };
    const release = () => {
      if (worker) worker.isBusy = false;
    };
    const run: RunInTurn = async (turn, size) => {
      if (!worker) throw new Error("The turn of the job has no worker.");
      worker.jobs += 1;
      try {
        return await runLeaving(worker.run, { job, turn, size });
      } finally {
        worker.jobs -= 1;
      }
    };
    return { run, resource: { claim, release } };
  });
}

/** Administrators take turns for one worker. */
const createReplays = (huge: RunJob): RunJob =>
  createQueue({ max: 1, perOwner: 1 }, (job) => ({ run: () => huge({ ...job, owner: "replay" }) }));

/** One job at a time, so that owners take turns. The worker is kept, because loading the model takes longer than a job. */
function createModels(): RunJob {
  const { run } = createWorker(startEncoderWorker, { idleMs: 20 * IDLE_MS });
  return createQueue({ max: 1, perOwner: 1 }, (job) => ({ run: () => run(job) }));
}

const startEvaluationWorker = (workerData: EvaluationWorker) =>
  new Worker(new URL("./worker.ts", import.meta.url), { workerData });
const startEncoderWorker = () => new Worker(new URL("./encoder-worker.ts", import.meta.url));

/** Waiting jobs of one owner: at 8 ms for a window, more than clients wait for. */
const MAX_WAITING = 500;
const full = () =>
  new AppError("overloaded", "Too many evaluations are waiting. Try again later.", {
    details: { retry_after: "5" },
  });

type RunInTurn = (turn: HeldTurn, size: number) => Promise<TaskOutcome>;

interface QueuedJob extends Pick<FairTurn, "resource"> {
  run: RunInTurn;
}

/** Runs jobs in turn. Drops those whose client has disconnected. */
function createQueue(
  limits: Omit<FairLimits, "waiting">,
  toQueued: (job: WorkerJob) => QueuedJob,
): RunJob {
  const takeTurn = createFairSemaphore({ ...limits, waiting: { max: MAX_WAITING, full } });
  return (job) => {
    const { run, ...turn } = toQueued(job);
    const size = measureTask(job.task);
    return takeTurn({ ...turn, owner: job.owner, size }, async (held) => {
      checkClient(job);
      return await run(held, size);
    });
  };
}

interface RunningJob extends WorkerJob {
  finish: (outcome: TaskOutcome) => void;
}

interface JobRunner {
  isRunning: () => boolean;
  /** Starts the worker without a job. */
  startIdle: () => void;
  run: RunJob;
  jobs: ReadonlyMap<number, RunningJob>;
}

/** Runs jobs in a worker that starts with the first one, and exits when it is idle. */
export function createWorker(startThread: () => Worker, { idleMs = IDLE_MS } = {}): JobRunner {
  const jobs = new Map<number, RunningJob>();
  let lastJob = 0;
  let running: Worker | undefined;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  const start = (): Worker => {
    const worker = startThread();
    const post = (message: MessageToWorker) => worker.postMessage(message);
    worker.on("message", async (message: MessageFromWorker) => {
      const { host, finish } = jobs.get(message.job) ?? {};
      if (message.kind === "done") finish?.(message.outcome);
      else if (host) {
        const outcome = await captureOutcome(() => callHost(host, message));
        post({ kind: "reply", call: message.call, outcome });
      }
    });
    const fail = async (cause: unknown) => {
      if (running !== worker) return; // failed already, or terminated when idle
      running = undefined;
      // Not those that start in the next worker meanwhile.
      const failed = [...jobs.values()];
      const outcome = await captureOutcome(() => Promise.reject(cause));
      for (const { finish } of failed) finish(outcome);
    };
    worker.on("error", fail);
    // A worker that runs out of memory may exit without an error event.
    worker.on("exit", () => fail(new Error("The evaluation worker exited.")));
    // A shutdown does not wait for it.
    worker.unref();
    return worker;
  };
  const stop = () => {
    void running?.terminate();
    running = undefined;
  };
  const stopWhenIdle = () => {
    clearTimeout(idleTimer);
    if (jobs.size === 0) idleTimer = setTimeout(stop, idleMs).unref();
  };
  const startIdle = () => {
    running ??= start();
    stopWhenIdle();
  };
  const run: RunJob = async (job) => {
    clearTimeout(idleTimer);
    running ??= start();
    const id = ++lastJob;
    const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
    jobs.set(id, { ...job, finish: resolve });
    const message: MessageToWorker = { kind: "task", job: id, owner: job.owner, task: job.task };
    running.postMessage(message);
    const outcome = await promise;
    jobs.delete(id);
    stopWhenIdle();
    return outcome;
  };
  return { isRunning: () => running !== undefined, startIdle, run, jobs };
}

async function callHost(
  host: Partial<EvaluationHost>,
  { method, args }: Extract<MessageFromWorker, { kind: "call" }>,
): Promise<unknown> {
  // The worker passes the arguments of the method of this name.
  const call = host[method] as (...args: unknown[]) => Promise<unknown>;
  const value = await call(...args);
  return method === "selectPolicy" ? toClonedSelection(value as PolicySelection) : value;
}

/** Copies only what the worker reads: views contain functions, which cannot be cloned. */
function toClonedSelection(selection: PolicySelection): ClonedSelection {
  const { collector, program, disabled, exemptions, keyring } = selection;
  const { id, name, type, gateway_id, fail_mode, content_storage } = collector;
  return {
    collector: { id, name, type, gateway_id, fail_mode, content_storage },
    program: program && { document: program.document, id: program.id, version: program.version },
    disabled,
    exemptions,
    keyring: keyring(),
  };
}
