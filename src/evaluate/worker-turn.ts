/** Turn of a body in its worker: other owners have the worker while it waits, and between its detectors. */
import { createSemaphore } from "../lib/concurrency/semaphore.ts";
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
  /** Evaluations that have begun and do not wait for a service. */
  working: number;
  /** Evaluations that wait for a service. */
  waiting: number;
  hasLeft: boolean;
  /** Pending while the body waits for its next turn. */
  taking: Promise<void> | undefined;
  /** Characters of the texts of the evaluations that have begun. */
  characters: number;
  /** Checks one evaluation at a time whether the turn is over, so that each sees how long the one before it worked. */
  checkInTurn: ReturnType<typeof createSemaphore>;
}

export const createTurn = (): BodyTurn => ({
  began: elapsedMs(),
  working: 0,
  waiting: 0,
  hasLeft: false,
  taking: undefined,
  characters: 0,
  checkInTurn: createSemaphore(1),
});

/**
 * Runs an evaluation with a host that leaves the turn of its worker: while no evaluation of the body works, because services
 * have not responded, and in a worker for huge bodies also between detectors, which take seconds for much text.
 */
export async function runWithTurn<T>(
  host: EvaluationHost,
  turn: BodyTurn,
  evaluate: (host: EvaluationHost) => Promise<T>,
): Promise<T> {
  /** Remote detectors run concurrently. */
  let calls = 0;
  const awaitService = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    calls += 1;
    if (calls === 1) await startWaiting(host, turn);
    try {
      return await call();
    } finally {
      calls -= 1;
      if (calls === 0) await endWaiting(host, turn);
    }
  };
  await startWork(host, turn);
  try {
    return await evaluate({
      ...host,
      post: (request) => awaitService(() => host.post(request)),
      ask: (request) => awaitService(() => host.ask(request)),
      scoreWindows: (windows) => awaitService(() => host.scoreWindows(windows)),
      waitForTurn: (size) =>
        host.worker === "huge"
          ? turn.checkInTurn(() => passLongTurn(host, turn, size))
          : host.waitForTurn(size),
    });
  } finally {
    await stopWork(host, turn);
  }
}

/** Lets others run before an evaluation of a batch begins: those before it have worked until their first pause. */
export const startInTurn = (host: EvaluationHost, turn: BodyTurn): Promise<void> =>
  turn.checkInTurn(() => letOthersRun(host, 0));

async function startWaiting(host: TurnHost, turn: BodyTurn): Promise<void> {
  turn.waiting += 1;
  await stopWork(host, turn);
}

async function endWaiting(host: TurnHost, turn: BodyTurn): Promise<void> {
  turn.waiting -= 1;
  await startWork(host, turn);
}

async function startWork(host: TurnHost, turn: BodyTurn): Promise<void> {
  turn.working += 1;
  await take(host, turn);
}

async function stopWork(host: TurnHost, turn: BodyTurn): Promise<void> {
  turn.working -= 1;
  if (turn.working === 0 && turn.waiting > 0) await leave(host, turn);
}

/** A body that has worked for less keeps its turn: those that start meanwhile take memory beside it. */
const MIN_TURN_MS = 250;

/** Lets others run, before a detector inspects this much text. After a long turn, other owners have the worker. */
async function passLongTurn(host: EvaluationHost, turn: BodyTurn, size: number): Promise<void> {
  await letOthersRun(host, size);
  if (elapsedMs() - turn.began < MIN_TURN_MS) return;
  await leave(host, turn);
  await take(host, turn);
  await host.checkClient();
}

async function letOthersRun(host: EvaluationHost, size: number): Promise<void> {
  // The evaluation that was checked before works first.
  await new Promise(setImmediate);
  await host.waitForTurn(size);
}

async function leave(host: TurnHost, turn: BodyTurn): Promise<void> {
  if (turn.hasLeft) return;
  turn.hasLeft = true;
  await host.leaveTurn(turn.characters * HELD_SIZE.character);
}

/** Waits for the next turn, if the body has left its turn. */
async function take(host: TurnHost, turn: BodyTurn): Promise<void> {
  if (!turn.hasLeft) return;
  turn.taking ??= host.takeTurn().finally(() => {
    turn.began = elapsedMs();
    turn.hasLeft = false;
    turn.taking = undefined;
  });
  await turn.taking;
}
