/** Worker that evaluates large bodies. It only computes; the main thread serves every call of its host. */
import { parentPort, workerData } from "node:worker_threads";
import { sealedWith } from "../../lib/crypto/seal.ts";
import { newId } from "../../lib/ids.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { now } from "../../lib/time/clock.ts";
import { type CompiledPolicy, compilePolicy, DRAFT_VERSION } from "../../policy/compile-policy.ts";
import { evaluate, evaluateBody } from "../evaluate-body.ts";
import { evaluateSample } from "../evaluate-sample.ts";
import { replayEvent } from "../replay-event.ts";
import type { EvaluationHost } from "./evaluation-host.ts";
import { createJobTurns, type JobTurn } from "./job-turns.ts";
import {
  type ClonedSelection,
  captureOutcome,
  type EvaluationTask,
  type HostMethod,
  type MessageFromWorker,
  type MessageToWorker,
  restoreInput,
  type TaskOutcome,
  type TaskResults,
  unwrapOutcome,
} from "./messages.ts";
import { measureTask } from "./run-in-worker.ts";

const post = (message: MessageFromWorker) => parentPort?.postMessage(message);

const jobTurns = createJobTurns();
const pendingCalls = new Map<number, (outcome: TaskOutcome) => void>();
let lastCall = 0;

parentPort?.on("message", async (message: MessageToWorker<EvaluationTask>) => {
  if (message.kind === "reply") {
    pendingCalls.get(message.call)?.(message.outcome);
    pendingCalls.delete(message.call);
    return;
  }
  const { job, owner, task } = message;
  const turn = jobTurns.add(owner, measureTask(task));
  await begin(turn);
  const outcome = await captureOutcome(() => runTask(createWorkerHost(job, turn), task));
  turn.end();
  post({ kind: "done", job, outcome });
  // The garbage of a body with millions of matches takes a gigabyte, and the next body would add to it. Replays have
  // thousands of events, of 1 MiB at most: collecting after each would take most of their time.
  if (workerData === "huge" && task.name !== "replay") Bun.gc(true);
});

/** In the other workers, one job has its turn at a time. */
const begin = async (turn: JobTurn): Promise<void> => {
  if (workerData === "large") await turn.begin();
};

/** A detector leaves up to 100 times the size of the text as garbage, and the next one would add to it. */
const MAX_GARBAGE_BYTES = 256 * 1024 * 1024;
/** Memory of the process after the last collection, or less. */
let leastBytes = Infinity;

function collectGarbage(): void {
  const bytes = process.memoryUsage.rss();
  leastBytes = Math.min(leastBytes, bytes);
  if (bytes < leastBytes + MAX_GARBAGE_BYTES) return;
  Bun.gc(true);
  leastBytes = process.memoryUsage.rss();
}

function runTask(
  host: EvaluationHost,
  task: EvaluationTask,
): Promise<TaskResults[EvaluationTask["name"]]> {
  if (task.name === "body") return evaluateBody(host, task.input);
  if (task.name === "replay") return replayEvent(host, task.input);
  const input = restoreInput(task.input);
  return task.name === "sample" ? evaluateSample(host, input) : evaluate(host, input);
}

function createWorkerHost(job: number, turn: JobTurn): EvaluationHost {
  const callMain = async (method: HostMethod, args: unknown[]): Promise<unknown> => {
    const outcome = await turn.call(() => {
      const call = ++lastCall;
      const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
      pendingCalls.set(call, resolve);
      post({ kind: "call", job, call, method, args });
      return promise;
    });
    await begin(turn);
    return unwrapOutcome(outcome);
  };
  // The main thread returns the result of its own method of this name.
  const remote = <Name extends HostMethod>(method: Name) =>
    ((...args: unknown[]) => callMain(method, args)) as EvaluationHost[Name];
  return {
    now,
    newId,
    async waitForTurn() {
      await turn.wait();
      if (workerData === "huge") collectGarbage();
    },
    worker: workerData,
    leaveTurn: remote("leaveTurn"),
    takeTurn: remote("takeTurn"),
    checkClient: remote("checkClient"),
    evaluateInWorker: remote("evaluateInWorker"),
    // Stage 2 runs in a worker of its own: here, one batch would delay the bodies of other owners by minutes.
    scoreWindows: remote("scoreWindows"),
    post: remote("post"),
    ask: remote("ask"),
    fetchAttachment: remote("fetchAttachment"),
    findPseudonyms: remote("findPseudonyms"),
    savePseudonyms: remote("savePseudonyms"),
    addRisk: remote("addRisk"),
    findApproved: remote("findApproved"),
    requestApproval: remote("requestApproval"),
    record: remote("record"),
    logFailure: remote("logFailure"),
    async selectPolicy(selector) {
      // The main thread returns the part of the selection that can be cloned.
      const selection = (await callMain("selectPolicy", [selector])) as ClonedSelection;
      const { program, keyring } = selection;
      return { ...selection, program: program && compile(program), keyring: () => keyring };
    },
  };
}

/**
 * Keyed by policy id, version and mode: a saved version never changes, but a collector may observe. Without drafts, which
 * share a version, and without policies with a sealed secret, whose key may be restored.
 */
const programs = createLruCache<CompiledPolicy>(20);

function compile({
  document,
  id,
  version,
}: NonNullable<ClonedSelection["program"]>): CompiledPolicy {
  const key = `${id}:${version}:${document.mode}`;
  const cached = programs.get(key);
  if (cached) return cached;
  let isCached = version !== DRAFT_VERSION;
  const program = compilePolicy(document, { id, version }, (secret) => {
    isCached &&= sealedWith(secret) === undefined;
    return secret;
  });
  if (isCached) programs.set(key, program);
  return program;
}
