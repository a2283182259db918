/** Charges Redis with the requests that this node admitted, also after Redis lost its data or was unavailable. */
import type { Log } from "../../lib/log.ts";
import type { Charge } from "./counter.ts";
import type { RedisCounter } from "./redis-counter.ts";

/** Requests that this node admitted. */
export interface AdmittedCharges {
  /** Returns all charges inside the windows, whether counted in Redis or not. */
  all(): Iterable<Charge>;
  /** Returns the charges that were admitted without Redis since the last call of either function. */
  unshared(): Iterable<Charge>;
}

export interface RedisEpoch {
  /** Returns the epoch whose data includes every request that this node admitted; "" before the first sync. */
  synced(): string;
  /**
   * Resolves when Redis has been charged with the requests of all live nodes. `run` makes one call.
   * Rejects when the connection is lost.
   */
  sync(run: Run): Promise<void>;
}

type Run = <T>(work: (counter: RedisCounter) => Promise<T>) => Promise<T>;

export function createRedisEpoch(admitted: AdmittedCharges, log: Log): RedisEpoch {
  let synced = "";
  /** Taken from `unshared`, and not yet confirmed by Redis. */
  let unsent: Charge[] = [];

  const chargeAll = async (run: Run, epoch: string) => {
    // Lets responses that arrived before the one with the epoch be counted first.
    await Bun.sleep(0);
    unsent = [];
    let subjects = 0;
    for (const batch of groupCharges(admitted.all())) {
      subjects += batch.length;
      await run((counter) => counter.charge(batch));
      await run((counter) => counter.epoch(epoch, true));
    }
    if (synced !== "") log("rate_limit_store_reset", { level: "warn", subjects });
    synced = epoch;
  };

  /** Resends a batch whose response was lost: counting twice is safer than not counting. */
  const chargeUnshared = async (run: Run) => {
    unsent.push(...admitted.unshared());
    for (const batch of groupCharges(unsent.slice())) {
      await run((counter) => counter.charge(batch));
      unsent = unsent.slice(batch.length);
    }
  };

  return {
    synced: () => synced,
    async sync(run) {
      for (;;) {
        const { epoch, opens_in_ms } = await run((counter) => counter.epoch(synced, false));
        if (epoch !== synced) await chargeAll(run, epoch);
        else if (opens_in_ms > 0) await Bun.sleep(Math.min(opens_in_ms, POLL_INTERVAL_MS));
        else break;
      }
      await chargeUnshared(run);
    },
  };
}

const POLL_INTERVAL_MS = 50;
const MAX_BATCH_SUBJECTS = 200;

/** Groups charges of the same space: a script call takes the keys of one gateway and window. */
function* groupCharges(charges: Iterable<Charge>): Generator<Charge[]> {
  let batch: Charge[] = [];
  for (const charge of charges) {
    if (batch.length === MAX_BATCH_SUBJECTS || (batch[0] && batch[0].space !== charge.space)) {
      yield batch;
      batch = [];
    }
    batch.push(charge);
  }
  if (batch.length > 0) yield batch;
}
