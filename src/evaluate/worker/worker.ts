/** The thread that judges large bodies: it computes, and asks the program for everything else. */
import { parentPort } from "node:worker_threads";
import { newId } from "../../lib/ids.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { now } from "../../lib/time/clock.ts";
import { type CompiledPolicy, compilePolicy } from "../../policy/compile-policy.ts";
import { answerBody } from "../answer-body.ts";
import { evaluate } from "../evaluate.ts";
import type { EvaluationHost } from "./evaluation-host.ts";
import {
  type ClonedSelection,
  captureOutcome,
  type HostMethod,
  type MessageFromWorker,
  type MessageToWorker,
  type TaskOutcome,
  type TaskResults,
  unwrapOutcome,
  type WorkerTask,
} from "./messages.ts";

const tell = (message: MessageFromWorker) => parentPort?.postMessage(message);

const waiting = new Map<number, (settled: TaskOutcome) => void>();
let calls = 0;

parentPort?.on("message", async (message: MessageToWorker) => {
  if (message.kind === "reply") {
    waiting.get(message.call)?.(message.settled);
    waiting.delete(message.call);
    return;
  }
  const { job, work } = message;
  tell({
    kind: "done",
    job,
    settled: await captureOutcome(() => done(createWorkerHost(job), work)),
  });
});

const done = (host: EvaluationHost, work: WorkerTask): Promise<TaskResults[WorkerTask["name"]]> =>
  work.name === "answer" ? answerBody(host, work.given) : evaluate(host, work.given);

function createWorkerHost(job: number): EvaluationHost {
  const answerOf = async (name: HostMethod, args: unknown[]): Promise<unknown> => {
    const call = ++calls;
    const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
    waiting.set(call, resolve);
    tell({ kind: "call", job, call, name, args });
    return unwrapOutcome(await promise);
  };
  // The program answers with what its own member of this name gives.
  const ask = <Name extends HostMethod>(name: Name) =>
    ((...args: unknown[]) => answerOf(name, args)) as EvaluationHost[Name];
  return {
    now,
    newId,
    evaluateInWorker: undefined,
    post: ask("post"),
    ask: ask("ask"),
    fetchAttachment: ask("fetchAttachment"),
    findPseudonyms: ask("findPseudonyms"),
    savePseudonyms: ask("savePseudonyms"),
    findApproved: ask("findApproved"),
    requestApproval: ask("requestApproval"),
    record: ask("record"),
    async selectPolicy(named) {
      // Not what the member gives there, but the part of it that can be copied.
      const chosen = (await answerOf("selectPolicy", [named])) as ClonedSelection;
      const { program, keyring } = chosen;
      return { ...chosen, program: program && programOf(program), keyring: () => keyring };
    },
  };
}

/** A version never changes: what was compiled stays right. */
const programs = createLruCache<CompiledPolicy>(20);

function programOf({
  document,
  id,
  version,
}: NonNullable<ClonedSelection["program"]>): CompiledPolicy {
  const name = `${id}:${version}`;
  const known = programs.get(name);
  if (known) return known;
  const program = compilePolicy(document, { id, version }, (secret) => secret);
  programs.set(name, program);
  return program;
}
