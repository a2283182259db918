/** Where a body is judged: here, or, when it is large, in a thread, so that nobody waits while it is looked at. */
import { Worker } from "node:worker_threads";
import type { Deps } from "../deps.ts";
import type { Settings } from "../settings.ts";
import { type Answering, answerBody } from "./answer-body.ts";
import type { Backing, Chosen } from "./backing.ts";
import {
  type FromThread,
  type PortableChoice,
  type Settled,
  settle,
  type ToThread,
  unsettle,
} from "./thread-messages.ts";

/** Text made to be slow takes 0.8 µs a byte: what is judged here holds everybody up for 50 ms at most. */
const LARGE_BYTES = 64 * 1024;
/** Long conversations must not wait behind bodies that take seconds: those have a thread of their own. */
const HUGE_BYTES = 1024 * 1024;
/** What a huge body took of memory goes back with its thread. */
const IDLE_MS = 30_000;

export async function answerAnywhere(
  { settings }: Deps,
  backing: Backing,
  answering: Answering,
): Promise<string> {
  const size = answering.bytes.length;
  if (size <= LARGE_BYTES) return await answerBody(backing, answering);
  const { large, huge } = threadsOf(settings);
  return await (size > HUGE_BYTES ? huge : large)(backing, answering);
}

type Thread = typeof answerBody;

/** One pair for each running program: its settings object is what a copy of `deps` still shares. */
const threads = new WeakMap<Settings, { large: Thread; huge: Thread }>();

function threadsOf(settings: Settings) {
  const known = threads.get(settings);
  if (known) return known;
  const fresh = { large: thread(), huge: thread() };
  threads.set(settings, fresh);
  return fresh;
}

interface Job {
  backing: Backing;
  done: (settled: Settled) => void;
}

/** Starts with the first body, and ends when none came for a while. */
function thread(): Thread {
  const jobs = new Map<number, Job>();
  let count = 0;
  let running: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const start = (): Worker => {
    const worker = new Worker(new URL("./thread.ts", import.meta.url));
    const tell = (message: ToThread) => worker.postMessage(message);
    worker.on("message", async (message: FromThread) => {
      const { backing, done } = jobs.get(message.job) ?? {};
      if (message.kind === "done") done?.(message.settled);
      else if (backing) {
        const settled = await settle(() => answered(backing, message));
        tell({ kind: "reply", call: message.call, settled });
      }
    });
    worker.on("error", async (cause) => {
      running = undefined;
      const settled = await settle(() => Promise.reject(cause));
      for (const { done } of jobs.values()) done(settled);
    });
    // A program that stops does not wait for it.
    worker.unref();
    return worker;
  };
  return async (backing, answering) => {
    clearTimeout(idle);
    running ??= start();
    const job = ++count;
    const { promise, resolve } = Promise.withResolvers<Settled>();
    jobs.set(job, { backing, done: resolve });
    const message: ToThread = { kind: "answer", job, answering };
    running.postMessage(message);
    const settled = await promise;
    jobs.delete(job);
    if (jobs.size === 0) idle = setTimeout(stop, IDLE_MS).unref();
    // The text that answerBody gave there.
    return unsettle(settled) as string;
  };

  function stop() {
    void running?.terminate();
    running = undefined;
  }
}

async function answered(
  backing: Backing,
  { name, args }: Extract<FromThread, { kind: "call" }>,
): Promise<unknown> {
  // The thread hands in what the member of this name takes.
  const member = backing[name] as (...args: unknown[]) => Promise<unknown>;
  const value = await member(...args);
  return name === "choose" ? portable(value as Chosen) : value;
}

/** Views hold functions: only what the thread reads goes there. */
function portable({ collector, program, disabled, keyring }: Chosen): PortableChoice {
  const { id, name, type, gateway_id, fail_mode, content_storage } = collector;
  return {
    collector: { id, name, type, gateway_id, fail_mode, content_storage },
    program: program && { document: program.document, id: program.id, version: program.version },
    disabled,
    keyring,
  };
}
