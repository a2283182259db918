/** Where a body is judged: here, or, when it is large, in a thread, so that nobody waits while it is looked at. */
import type { Deps } from "../deps.ts";
import { type Answering, answerBody } from "./answer-body.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";
import { runInWorker } from "./worker/worker-pool.ts";

/** Text made to be slow takes 0.8 µs a byte: what is judged here holds everybody up for 50 ms at most. */
const LARGE_BYTES = 64 * 1024;
/** Long conversations must not wait behind bodies that take seconds: those have a thread of their own. */
const HUGE_BYTES = 1024 * 1024;

export function answerAnywhere(
  deps: Deps,
  host: EvaluationHost,
  { owner, ...answering }: Answering & { owner: string },
): Promise<string> {
  const size = answering.bytes.length;
  if (size <= LARGE_BYTES) return answerBody(host, answering);
  const thread = size > HUGE_BYTES ? "huge" : "large";
  return runInWorker(deps, thread, { work: { name: "answer", given: answering }, host, owner });
}
