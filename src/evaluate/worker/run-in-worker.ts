/** Runs large evaluations in a worker, so that the main thread stays responsive. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { LARGE_BYTES } from "../../evaluation.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import type { DetectorServices } from "../../policy/detector.ts";
import { type ClientTurn, takeCountedTurn } from "../../take-turn.ts";
import { type TaskResults, unwrapOutcome, type WorkerTask } from "./messages.ts";
import type { EvaluationWorker, WorkerJob, WorkerPool } from "./worker-pool.ts";

/** Larger bodies take seconds and have workers of their own, so that long conversations do not wait for them. */
export const HUGE_BYTES = 1024 * 1024;
/** All detectors together take up to 0.5 ms for a short text and its joints with the next one. */
const BYTES_PER_TEXT = 128;
/** Most quotes of a body are not those of texts: names and keywords have quotes too. */
const BYTES_PER_QUOTE = 32;

/** Returns undefined when a body is small enough for the main thread. `texts` is known after the body is parsed. */
export function selectWorker(bytes: number, texts = 0): EvaluationWorker | undefined {
  const size = bytes + texts * BYTES_PER_TEXT;
  if (size <= LARGE_BYTES) return undefined;
  return size > HUGE_BYTES ? "huge" : "large";
}

/** Returns the size of a task before it is parsed: its quotes count like texts, because many short ones cost most. */
export function measureTask(task: WorkerTask): number {
  if (task.name === "windows" || task.name === "replay") return 0;
  const { input } = task;
  const bytes = "bytes" in input ? input.bytes : Buffer.from(input.text);
  let quotes = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === QUOTE) quotes += 1;
  return bytes.length + quotes * BYTES_PER_QUOTE;
}

const QUOTE = 0x22;

/** Evaluating a byte takes as long as parsing this many: a detector takes up to 5 ms for 4 KiB of adversarial text. */
const COST_PER_BYTE = 16;

/** Evaluates a body in this thread: at once, unless this turn of the event loop has done enough. Owners take turns. */
export async function runInTurn<T>(
  deps: Pick<Deps, "turns">,
  turn: ClientTurn,
  evaluate: () => Promise<T>,
): Promise<T> {
  await takeTurnToEvaluate(deps, turn);
  return await evaluate();
}

/** Resolves when the caller may evaluate text in the main thread. Short ones count too: a client may have 1,000 connections. */
export const takeTurnToEvaluate = (deps: Pick<Deps, "turns">, turn: ClientTurn): Promise<void> =>
  takeCountedTurn(deps, { ...turn, size: (turn.size + BYTES_PER_TEXT) * COST_PER_BYTE });

/** Returns the function that scores windows by stage 2 of the injection model, in its worker. */
export const createWindowService =
  (
    deps: Pick<Deps, "workers" | "responseDeadline">,
    { owner, client }: ModelUser,
  ): DetectorServices["scoreWindows"] =>
  (input) =>
    runInWorker(deps, "models", {
      task: { name: "windows", input },
      owner,
      signal: client?.signal,
    });

export interface ModelUser extends Pick<WorkerJob, "owner"> {
  /** Request of the client. Undefined: the evaluation does not end with it. */
  client?: Pick<Request, "signal"> | undefined;
}

/** Rejects with `shutting_down` at the end of a shutdown: a worker may need seconds more. */
export async function runInWorker<Name extends WorkerTask["name"]>(
  { workers, responseDeadline }: Pick<Deps, "workers" | "responseDeadline">,
  worker: keyof WorkerPool,
  job: WorkerJob & { task: { name: Name } },
): Promise<TaskResults[Name]> {
  const running = workers[worker](job);
  const late = () => new AppError("shutting_down");
  const outcome = await withTimeout(running, Infinity, late, responseDeadline);
  // The worker returns the result of the task of this name.
  return unwrapOutcome(outcome) as TaskResults[Name];
}
