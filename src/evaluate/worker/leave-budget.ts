/** Lets jobs leave their turns while they wait, as long as those that have left are not too large together. */
import { AppError } from "../../contract/errors.ts";
import type { HeldTurn } from "../../lib/concurrency/fair-semaphore.ts";
import type { EvaluationHost } from "./evaluation-host.ts";
import type { TaskOutcome } from "./messages.ts";
import type { RunJob, WorkerJob } from "./worker-pool.ts";

/** Maximum size of the jobs that have left their turns, with what they hold. They take six times as much memory. */
const MAX_LEFT_SIZE = 64 * 1024 * 1024;

/** Returns a function that runs a job which may leave its turn, while those that have are not too large together. */
export function createLeaveBudget() {
  let leftSize = 0;
  return async (
    run: RunJob,
    { job, turn, size }: { job: WorkerJob; turn: HeldTurn; size: number },
  ): Promise<TaskOutcome> => {
    /** Calls of the job that run without its turn: those of a batch run concurrently. It has a turn after the last one. */
    let calls = 0;
    let hasLeft = false;
    /** Size that is counted for the job. */
    let counted = 0;
    let taken: Promise<void> | undefined;
    const ended = new AbortController();
    const returnSize = () => {
      leftSize -= counted;
      counted = 0;
      hasLeft = false;
      taken = undefined;
    };
    const host: Partial<EvaluationHost> = {
      ...job.host,
      async leaveTurn(heldSize) {
        calls += 1;
        const total = size + heldSize;
        if (hasLeft || leftSize + total > MAX_LEFT_SIZE) return;
        hasLeft = true;
        counted = total;
        leftSize += total;
        turn.leave();
      },
      async takeTurn() {
        calls -= 1;
        if (calls > 0 || !hasLeft) return;
        taken ??= turn.take().then(returnSize);
        await taken;
      },
      checkClient: async () => checkClient(job),
    };
    const { fetchAttachment } = job.host ?? {};
    // Files take memory that is not counted after the job.
    if (fetchAttachment) {
      host.fetchAttachment = (url, limits) =>
        fetchAttachment(url, { ...limits, signal: ended.signal });
    }
    try {
      return await run({ ...job, host });
    } finally {
      ended.abort();
      returnSize();
    }
  };
}

/** Throws if the client of the job has disconnected. */
export function checkClient({ signal }: WorkerJob): void {
  if (signal?.aborted) throw new AppError("client_closed");
}
