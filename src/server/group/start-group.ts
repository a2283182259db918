/** Starts the workers of one machine under a supervisor: replaces those that exit, stops all together (decision 0014). */
import { AppError } from "../../contract/errors.ts";
import { startDemoUpstream } from "../../demo/demo-upstream.ts";
import { newId } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import { readMetrics } from "../../lib/metrics.ts";
import { elapsedMs, now } from "../../lib/time/clock.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import { createGroupCounter } from "../../plugins/rate-limiter/group-counter.ts";
import type { FirstRun } from "../first-run.ts";
import type { Listener } from "../http/listen.ts";
import { PROCESS_METRICS } from "../metrics.ts";
import { killHungWorkers } from "./kill-hung-workers.ts";
import type { ReadyReport, ToWorker, WorkerPlace, WorkerReadings } from "./protocol.ts";
import { type RunningWorker, spawnWorker, type WorkerProgram } from "./spawn-worker.ts";

export interface RunningGroup {
  urls: Listener["urls"];
  first: FirstRun | undefined;
  /** Stops all workers as on SIGTERM. Returns false when one of them failed. */
  stop: () => Promise<boolean>;
  /** Ends all workers at once. */
  kill: () => void;
}

/** A worker that does not respond in time does not delay the others: it polls for changes too. */
const RESPONSE_TIMEOUT_MS = 1_000;

export interface GroupOptions {
  workers: number;
  /** Seconds after which a worker that does not respond is killed. */
  max_hang_s: number;
}

export async function startGroup(
  { workers: count, max_hang_s }: GroupOptions,
  program: WorkerProgram,
  log: Log,
): Promise<RunningGroup> {
  const demo = startDemoUpstream({ now, newId });
  const callCounter = createGroupCounter(elapsedMs);
  const workers = new Map<number, RunningWorker>();
  let ports: Listener["ports"] = {};
  let stopping = false;

  /** Sends a request to all workers but one; those that fail or time out are left out. */
  const callWorkers = async <Kind extends keyof ToWorker>(kind: Kind, except?: number) => {
    const late = () => new Error("The worker did not respond in time.");
    const responses = [...workers]
      .filter(([index]) => index !== except)
      .map(async ([index, { request }]) => {
        const result = await withTimeout(request(kind, null), RESPONSE_TIMEOUT_MS, late);
        return { index, result };
      });
    const settled = await Promise.allSettled(responses);
    return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  };

  const readAll = async (): Promise<WorkerReadings[]> => {
    const read = await callWorkers("read");
    return [
      { worker: "supervisor", readings: readMetrics(PROCESS_METRICS, undefined) },
      ...read.map(({ index, result }) => ({ worker: `${index}`, readings: result })),
    ];
  };

  const startWorker = (index: number, alone = false): RunningWorker => {
    const place: WorkerPlace = { index, alone, demo_url: demo.url, ports };
    const worker = spawnWorker(program, place, {
      counters: (calls) => calls.map(callCounter),
      refreshOthers: async () => void (await callWorkers("refresh", index)),
      flushOthers: async () => void (await callWorkers("flush", index)),
      readAll,
    });
    workers.set(index, worker);
    return worker;
  };

  /** Starts the worker again: at once if it was ready before, else later each time. */
  const replaceWhenExited = async (worker: RunningWorker, index: number): Promise<void> => {
    for (let failures = 0; ; ) {
      const exit = await worker.exited;
      workers.delete(index);
      if (stopping) return;
      failures = worker.isReady() ? 0 : failures + 1;
      const restart_in_ms = failures && Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** failures);
      log("worker_exited", { level: "error", worker: index, ...exit, restart_in_ms });
      await Bun.sleep(restart_in_ms);
      if (stopping) return;
      worker = startWorker(index);
      void worker.ready.then(() => log("worker_replaced", { worker: index }), ignore);
    }
  };

  const kill = () => {
    stopping = true;
    for (const worker of workers.values()) worker.kill("SIGKILL");
  };

  let report: ReadyReport;
  try {
    // Alone: it migrates the database and sets up a new installation.
    const first = startWorker(0, true);
    report = await first.ready;
    ports = report.ports;
    const others = Array.from({ length: count - 1 }, (_, at) => startWorker(at + 1));
    await Promise.all(others.map(({ ready }) => ready));
  } catch (thrown) {
    kill();
    await Promise.all([...workers.values()].map(({ exited }) => exited));
    await demo.stop();
    throw new AppError("bad_settings", "The workers did not start. The reason is logged above.", {
      cause: thrown,
    });
  }
  for (const [index, worker] of workers) void replaceWhenExited(worker, index);
  const watch = killHungWorkers(workers, max_hang_s, log);

  return {
    urls: report.urls,
    first: report.first ?? undefined,
    stop: async () => {
      stopping = true;
      const exits = [...workers.values()].map(async ({ kill: signal, exited, isReady }) => {
        const wasReady = isReady();
        signal("SIGTERM");
        // A worker that is still starting has nothing to finish.
        return { ...(await exited), wasReady };
      });
      const all = await Promise.all(exits);
      watch.stop();
      await demo.stop();
      return all.every(({ code, wasReady }) => code === 0 || !wasReady);
    },
    kill,
  };
}

const ignore = () => {};

const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
