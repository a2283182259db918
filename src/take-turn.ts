/** Waits for a turn of the event loop, so that bodies which arrive together do not block it together. */
import { AppError } from "./contract/errors.ts";
import type { Deps } from "./deps.ts";
import {
  createFairSemaphore,
  type FairSemaphore,
  type FairTurn,
} from "./lib/concurrency/fair-semaphore.ts";
import { overloaded } from "./reserve-bytes.ts";

declare module "./deps.ts" {
  interface Deps {
    turns: Turns;
  }
}

/** Turns of the main thread for work that takes milliseconds. */
interface Turns {
  wait: FairSemaphore;
  /** Size of the bodies that are parsed in this turn, or of those that take as long. */
  parsed_bytes: number;
}

export interface ClientTurn extends FairTurn {
  /** Its request: the turn is rejected when the client disconnects. Undefined: the work continues without the client. */
  client: Pick<Request, "signal"> | undefined;
}

/** The bodies that wait are bounded by the memory budget of their plane. */
export const createTurns = (): Turns => ({
  wait: createFairSemaphore({ max: 1, perOwner: 1, maxWaiting: Infinity, full: overloaded }),
  parsed_bytes: 0,
});

/** Parsing takes up to 0.2 µs per byte. Smaller bodies are not counted. */
const MIN_COUNTED_BYTES = 8 * 1024;
const MAX_BYTES_PER_TURN = 128 * 1024;

/** Resolves when the caller may parse a JSON body: at once, unless this turn has parsed enough. Owners take turns. */
export async function takeTurnToParse(
  { turns }: Pick<Deps, "turns">,
  turn: ClientTurn,
): Promise<void> {
  if (turn.size <= MIN_COUNTED_BYTES) return;
  await turns.wait(turn, async () => {
    checkClient(turn);
    if (turns.parsed_bytes + turn.size > MAX_BYTES_PER_TURN) await waitForNext(turn);
    if (turns.parsed_bytes === 0) {
      setImmediate(() => {
        turns.parsed_bytes = 0;
      });
    }
    turns.parsed_bytes += turn.size;
  });
}

/** A page of 200 records takes about 5 ms to read, validate and encode, as long as parsing this many bytes. */
const BYTES_PER_READ = 64 * 1024;

export type ReadTurn = Omit<ClientTurn, "size">;

/** Resolves when the caller may read a page of records. Owners take turns. */
export const takeTurnToRead = (deps: Pick<Deps, "turns">, turn: ReadTurn): Promise<void> =>
  takeTurnToParse(deps, { ...turn, size: BYTES_PER_READ });

/** Resolves when the caller may work for as long as a turn of the event loop should take. Owners take turns. */
export const takeTurnToWork = (deps: Pick<Deps, "turns">, turn: ReadTurn): Promise<void> =>
  takeTurnToParse(deps, { ...turn, size: MAX_BYTES_PER_TURN });

function checkClient({ client }: ClientTurn): void {
  if (client?.signal.aborted) throw new AppError("client_closed");
}

async function waitForNext(turn: ClientTurn): Promise<void> {
  await new Promise<void>(setImmediate);
  checkClient(turn);
}
