/** The threads that judge what takes long: started when they are needed, ended when they are not. */
import { Worker } from "node:worker_threads";
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { createFairSemaphore } from "../../lib/concurrency/fair-semaphore.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import type { EvaluationHost, PolicySelection } from "./evaluation-host.ts";
import {
  type ClonedSelection,
  captureOutcome,
  type MessageFromWorker,
  type MessageToWorker,
  type TaskOutcome,
  type TaskResults,
  unwrapOutcome,
  type WorkerTask,
} from "./messages.ts";

/** What a huge body took of memory goes back with its thread. */
const IDLE_MS = 30_000;

interface Job {
  work: WorkerTask;
  /** The collector, or the token, whose evaluation it is: owners take turns. */
  owner: string;
  /** What the thread asks for meanwhile. */
  host: EvaluationHost;
}

/** Rejects with `shutting_down` at the end of a shutdown: a worker may need seconds more. */
export async function runInWorker<Name extends WorkerTask["name"]>(
  { workers, responseDeadline }: Pick<Deps, "workers" | "responseDeadline">,
  thread: "large" | "huge",
  job: Job & { work: { name: Name } },
): Promise<TaskResults[Name]> {
  const judged = workers[thread](job);
  const late = () => new AppError("shutting_down");
  // The thread gives back what the work of this name gives.
  return unwrapOutcome(
    await withTimeout(judged, Infinity, late, responseDeadline),
  ) as TaskResults[Name];
}

type Thread = (job: Job) => Promise<TaskOutcome>;

export interface WorkerPool {
  large: Thread;
  huge: Thread;
}

declare module "../../deps.ts" {
  interface Deps {
    /** Workers for evaluations that take long. */
    workers: WorkerPool;
  }
}

export const createWorkerPool = (): WorkerPool => ({ large: createLarge(), huge: createHuge() });

/** Long conversations share one worker; some of its slots are left to other owners. */
function createLarge(): Thread {
  const inTurn = createFairSemaphore(16, 12);
  const { judge } = createThread();
  return (job) => inTurn(job.owner, () => judge(job));
}

/**
 * Bodies over 1 MiB, and documents: judging takes up to thirty times their memory, and seconds. Each worker runs one
 * at a time, and one owner never has both.
 */
function createHuge(): Thread {
  const workers = [createThread(), createThread()];
  const inTurn = createFairSemaphore(workers.length, 1);
  return (job) =>
    inTurn(job.owner, async () => {
      const idle = workers.find(({ isIdle }) => isIdle());
      if (!idle) throw new Error("More jobs run than there are workers.");
      return await idle.judge(job);
    });
}

function createThread(): { judge: Thread; isIdle: () => boolean } {
  const jobs = new Map<number, { host: EvaluationHost; done: (settled: TaskOutcome) => void }>();
  let count = 0;
  let running: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const start = (): Worker => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    const tell = (message: MessageToWorker) => worker.postMessage(message);
    worker.on("message", async (message: MessageFromWorker) => {
      const { host, done } = jobs.get(message.job) ?? {};
      if (message.kind === "done") done?.(message.settled);
      else if (host) {
        const settled = await captureOutcome(() => answered(host, message));
        tell({ kind: "reply", call: message.call, settled });
      }
    });
    const broken = async (cause: unknown) => {
      if (running !== worker) return; // told already, or stopped when it had nothing to do
      running = undefined;
      const settled = await captureOutcome(() => Promise.reject(cause));
      for (const { done } of jobs.values()) done(settled);
    };
    worker.on("error", broken);
    // Out of memory, it may end without a word.
    worker.on("exit", () => broken(new Error("The thread that judges has ended.")));
    // A program that stops does not wait for it.
    worker.unref();
    return worker;
  };
  const stop = () => {
    void running?.terminate();
    running = undefined;
  };
  const judge = async ({ host, work }: Job) => {
    clearTimeout(idle);
    running ??= start();
    const job = ++count;
    const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
    jobs.set(job, { host, done: resolve });
    const message: MessageToWorker = { kind: "work", job, work };
    running.postMessage(message);
    const settled = await promise;
    jobs.delete(job);
    if (jobs.size === 0) idle = setTimeout(stop, IDLE_MS).unref();
    return settled;
  };
  return { judge, isIdle: () => jobs.size === 0 };
}

async function answered(
  host: EvaluationHost,
  { name, args }: Extract<MessageFromWorker, { kind: "call" }>,
): Promise<unknown> {
  // The thread hands in what the member of this name takes.
  const member = host[name] as (...args: unknown[]) => Promise<unknown>;
  const value = await member(...args);
  return name === "selectPolicy" ? portable(value as PolicySelection) : value;
}

/** Views hold functions: only what the thread reads goes there. */
function portable({ collector, program, disabled, keyring }: PolicySelection): ClonedSelection {
  const { id, name, type, gateway_id, fail_mode, content_storage } = collector;
  return {
    collector: { id, name, type, gateway_id, fail_mode, content_storage },
    program: program && { document: program.document, id: program.id, version: program.version },
    disabled,
    keyring: keyring(),
  };
}
