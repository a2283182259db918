/** Waits for a turn of the event loop, so that bodies which arrive together do not block it together. */
import { AppError } from "./contract/errors.ts";
import type { Deps } from "./deps.ts";
import type { FairTurns, TimedTurn } from "./lib/concurrency/fair-turns.ts";

declare module "./deps.ts" {
  interface Deps {
    /** Turns of the main thread. Those that wait are bounded by the memory budget of their plane. */
    turns: FairTurns;
  }
}

export interface ClientTurn extends Omit<TimedTurn, "ms"> {
  /** Size of the body. */
  size: number;
  /** Its request: the turn is rejected when the client disconnects. Undefined: the work continues without the client. */
  client: Pick<Request, "signal"> | undefined;
}

/** Parsing takes up to 0.2 µs per byte, and mostly a tenth of that. Smaller bodies are not counted. */
export const MIN_COUNTED_BYTES = 8 * 1024;
const BYTES_PER_MS = 16 * 1024;

/** Resolves when the caller may parse a JSON body: at once, unless this turn has parsed enough. */
export async function takeTurnToParse(deps: Pick<Deps, "turns">, turn: ClientTurn): Promise<void> {
  if (turn.size > MIN_COUNTED_BYTES) await takeCountedTurn(deps, turn);
}

/** Like `takeTurnToParse`, for work on a body of any size that takes as long as parsing `size` bytes. */
export async function takeCountedTurn(
  { turns }: Pick<Deps, "turns">,
  { size, client, ...turn }: ClientTurn,
): Promise<void> {
  checkClient(client);
  const waiting = turns.take({ ...turn, ms: size / BYTES_PER_MS });
  if (!waiting) return;
  await waiting;
  checkClient(client);
}

function checkClient(client: ClientTurn["client"]): void {
  if (client?.signal.aborted) throw new AppError("client_closed");
}

/** A page of 200 records takes about 5 ms to read, validate and encode, as long as parsing this many bytes. */
const BYTES_PER_READ = 64 * 1024;

export type ReadTurn = Omit<ClientTurn, "size">;

/** Resolves when the caller may read a page of records. */
export const takeTurnToRead = (deps: Pick<Deps, "turns">, turn: ReadTurn): Promise<void> =>
  takeTurnToParse(deps, { ...turn, size: BYTES_PER_READ });
