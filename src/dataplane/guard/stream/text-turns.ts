/**
 * Turns of the long texts of streams, which workers evaluate. Those of a consumer that end together would be copied together,
 * and the queue of a worker rejects the last of them.
 */
import { AppError } from "../../../contract/errors.ts";
import type { Deps } from "../../../deps.ts";
import { LARGE_BYTES } from "../../../evaluation.ts";
import {
  createFairSemaphore,
  type FairSemaphore,
} from "../../../lib/concurrency/fair-semaphore.ts";
import { withTimeout } from "../../../lib/time/with-timeout.ts";

/** Texts of one consumer: more than the workers evaluate at once, so that they do not wait for the next one. */
export const MAX_LONG_TEXTS = 16;

export const createTextTurns = (): FairSemaphore =>
  createFairSemaphore({ max: Infinity, perOwner: MAX_LONG_TEXTS });

/** Evaluates a short text at once, and a long one in its turn. Rejects with `shutting_down` at the end of a shutdown. */
export async function evaluateInTurn<T>(
  { live, responseDeadline }: Pick<Deps, "live" | "responseDeadline">,
  { owner, text }: { owner: string; text: string },
  evaluate: () => Promise<T>,
): Promise<T> {
  const size = Buffer.byteLength(text);
  if (size <= LARGE_BYTES) return await evaluate();
  const evaluated = live.text_turns({ owner, size }, async () => {
    responseDeadline.throwIfAborted();
    return await evaluate();
  });
  const late = () => new AppError("shutting_down");
  return await withTimeout(evaluated, Infinity, late, responseDeadline);
}
