/** The thread that judges large bodies: it computes, and asks the program for everything else. */
import { parentPort } from "node:worker_threads";
import { newId } from "../../lib/ids.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { now } from "../../lib/time/clock.ts";
import { compilePolicy, type Program } from "../../policy/compile-policy.ts";
import { answerBody } from "../answer-body.ts";
import { evaluate } from "../evaluate.ts";
import type { EvaluationHost } from "./evaluation-host.ts";
import {
  type Asking,
  type Done,
  type FromThread,
  type PortableChoice,
  type Settled,
  settle,
  type ToThread,
  unsettle,
  type Work,
} from "./messages.ts";

const tell = (message: FromThread) => parentPort?.postMessage(message);

const waiting = new Map<number, (settled: Settled) => void>();
let calls = 0;

parentPort?.on("message", async (message: ToThread) => {
  if (message.kind === "reply") {
    waiting.get(message.call)?.(message.settled);
    waiting.delete(message.call);
    return;
  }
  const { job, work } = message;
  tell({ kind: "done", job, settled: await settle(() => done(backingOf(job), work)) });
});

const done = (backing: EvaluationHost, work: Work): Promise<Done[Work["name"]]> =>
  work.name === "answer" ? answerBody(backing, work.given) : evaluate(backing, work.given);

function backingOf(job: number): EvaluationHost {
  const answerOf = async (name: Asking, args: unknown[]): Promise<unknown> => {
    const call = ++calls;
    const { promise, resolve } = Promise.withResolvers<Settled>();
    waiting.set(call, resolve);
    tell({ kind: "call", job, call, name, args });
    return unsettle(await promise);
  };
  // The program answers with what its own member of this name gives.
  const ask = <Name extends Asking>(name: Name) =>
    ((...args: unknown[]) => answerOf(name, args)) as EvaluationHost[Name];
  return {
    now,
    newId,
    aside: undefined,
    post: ask("post"),
    ask: ask("ask"),
    fetchAttachment: ask("fetchAttachment"),
    findPseudonyms: ask("findPseudonyms"),
    keepPseudonyms: ask("keepPseudonyms"),
    approved: ask("approved"),
    askApproval: ask("askApproval"),
    record: ask("record"),
    async choose(named) {
      // Not what the member gives there, but the part of it that can be copied.
      const chosen = (await answerOf("choose", [named])) as PortableChoice;
      const { program, keyring } = chosen;
      return { ...chosen, program: program && programOf(program), keyring: () => keyring };
    },
  };
}

/** A version never changes: what was compiled stays right. */
const programs = createLruCache<Program>(20);

function programOf({ document, id, version }: NonNullable<PortableChoice["program"]>): Program {
  const name = `${id}:${version}`;
  const known = programs.get(name);
  if (known) return known;
  const program = compilePolicy(document, { id, version }, (secret) => secret);
  programs.set(name, program);
  return program;
}
