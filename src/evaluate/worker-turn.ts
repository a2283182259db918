/** Runs calls without the turn of the evaluation, so that other owners have its worker meanwhile. */
import { ATTACHMENT_LIMITS } from "../net/fetch-attachment.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

type TurnHost = Pick<EvaluationHost, "leaveTurn" | "takeTurn" | "checkClient">;

/** Sizes for `leaveTurn`, in bytes of body: a body takes six times its size in memory. */
export const HELD_SIZE = {
  /** Results of detectors for hostile text. At this size, six evaluations of 2,000,000 characters leave their turns. */
  character: 5,
  /** The main thread has a copy of a file that it fetches. */
  file: ATTACHMENT_LIMITS.bytes / 3,
};

export async function withoutTurn<T>(
  host: TurnHost,
  heldSize: number,
  call: () => Promise<T>,
): Promise<T> {
  await host.leaveTurn(heldSize);
  try {
    return await call();
  } finally {
    await host.takeTurn();
  }
}

/** Lets other owners have a turn first, and while `call` runs. Rejects if the client has disconnected. */
export async function passTurn(
  host: TurnHost,
  heldSize: number,
  call: () => Promise<unknown> = async () => {},
): Promise<void> {
  await withoutTurn(host, heldSize, call);
  await host.checkClient();
}
