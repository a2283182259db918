/** Calls that an evaluation waits for. Other owners have its worker meanwhile. */
import { ATTACHMENT_LIMITS } from "../net/fetch-attachment.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

type TurnHost = Pick<EvaluationHost, "leaveTurn" | "takeTurn">;

/** Sizes for `leaveTurn`. They are those of a body that takes as much memory: six times its size. */
export const HELD_SIZE = {
  /** Results of detectors for hostile text. At this size, six evaluations of 2,000,000 characters leave their turns. */
  character: 5,
  /** A file that is fetched has a copy in the main thread. */
  file: ATTACHMENT_LIMITS.bytes / 3,
};

/** Runs the call without the turn of the evaluation. */
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

/** Lets other owners have a turn first. */
export const passTurn = (host: TurnHost, heldSize: number): Promise<void> =>
  withoutTurn(host, heldSize, async () => {});
