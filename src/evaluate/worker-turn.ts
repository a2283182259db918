/** Turn of a body in its worker: other owners have the worker while it waits, and between its detectors. */
import { elapsedMs } from "../lib/time/clock.ts";
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

/** Turn of a body in its worker. The evaluations of a batch share it. */
export interface BodyTurn {
  began: number;
  /** Resolves when it has another turn. Undefined: no evaluation passes it. */
  passing: Promise<void> | undefined;
  /** Characters of the texts of those that have begun. */
  characters: number;
}

export const createTurn = (): BodyTurn => ({
  began: elapsedMs(),
  passing: undefined,
  characters: 0,
});

/**
 * Returns a host that leaves the turn of its worker while another service responds, and in a worker for huge bodies also
 * between detectors: those of a small document with much text take seconds.
 */
export function leaveTurnsOf(host: EvaluationHost, turn: BodyTurn): EvaluationHost {
  // Without a check of the client: what a remote detector has read is recorded.
  const leaveTurn = async <T>(call: () => Promise<T>): Promise<T> => {
    const result = await withoutTurn(host, heldSize(turn), call);
    turn.began = elapsedMs();
    return result;
  };
  return {
    ...host,
    post: (request) => leaveTurn(() => host.post(request)),
    ask: (request) => leaveTurn(() => host.ask(request)),
    scoreWindows: (windows) => leaveTurn(() => host.scoreWindows(windows)),
    waitForTurn: (size) => awaitTurn(host, turn, size),
  };
}

/** A body that has worked for less keeps its turn: those that start meanwhile take memory beside it. */
const MIN_TURN_MS = 250;

/** Lets others run, before a detector inspects this much text. In a worker for huge bodies, other owners have the turn. */
async function awaitTurn(host: EvaluationHost, turn: BodyTurn, size: number): Promise<void> {
  for (;;) {
    await host.waitForTurn(size);
    const isDue = elapsedMs() - turn.began >= MIN_TURN_MS;
    if (host.worker !== "huge" || !(turn.passing || isDue)) return;
    // One evaluation passes the turn, and the others wait for it.
    turn.passing ??= passTurnOfBody(host, turn);
    await turn.passing;
  }
}

async function passTurnOfBody(host: TurnHost, turn: BodyTurn): Promise<void> {
  try {
    await passTurn(host, heldSize(turn));
  } finally {
    turn.began = elapsedMs();
    turn.passing = undefined;
  }
}

const heldSize = ({ characters }: BodyTurn): number => characters * HELD_SIZE.character;
