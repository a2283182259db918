/** Kills workers whose event loop is blocked, so that the supervisor replaces them. */
import type { Log } from "../../lib/log.ts";
import type { RunningWorker } from "./spawn-worker.ts";

const TICK_MS = 1_000;

/** Checks until `stop` is called. Counts ticks instead of time: a supervisor that was suspended kills no worker. */
export function killHungWorkers(
  workers: ReadonlyMap<number, RunningWorker>,
  maxSeconds: number,
  log: Log,
): { stop: () => void } {
  /** Ticks since a worker did not respond. */
  const silent = new Map<RunningWorker, number>();

  const ping = async (worker: RunningWorker) => {
    silent.set(worker, 0);
    // Rejects when the worker has exited.
    await worker.request("ping", null).catch(() => {});
    silent.delete(worker);
  };

  const check = (index: number, worker: RunningWorker) => {
    const ticks = silent.get(worker);
    if (ticks === undefined) void ping(worker);
    else if (ticks < maxSeconds) silent.set(worker, ticks + 1);
    else {
      log("worker_hung", { level: "error", worker: index, seconds: maxSeconds });
      worker.kill("SIGKILL");
    }
  };

  const timer = setInterval(() => {
    for (const [index, worker] of workers) {
      // A worker that is starting may migrate the database, which blocks it.
      if (worker.isReady()) check(index, worker);
    }
  }, TICK_MS);
  return { stop: () => clearInterval(timer) };
}
