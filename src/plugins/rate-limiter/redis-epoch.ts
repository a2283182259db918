/** Keeps Redis charged with what this node admitted, although Redis may lose its data or be away. */
import type { Log } from "../../lib/log.ts";
import type { Charge } from "./counter.ts";
import type { RedisCounter } from "./redis-counter.ts";

/** What this node admitted. */
export interface AdmittedCharges {
  /** Everything inside the windows, counted in Redis or not. */
  all(): Iterable<Charge>;
  /** What was admitted without Redis since the last call of either function. */
  unshared(): Iterable<Charge>;
}

export interface RedisEpoch {
  /** The epoch whose data includes all that this node admitted; "" before the first sync. */
  synced(): string;
  /**
   * Resolves when Redis has been charged with all that live nodes admitted. `run` makes one call.
   * Rejects when Redis is lost meanwhile.
   */
  sync(run: Run): Promise<void>;
}

type Run = <T>(work: (counter: RedisCounter) => Promise<T>) => Promise<T>;

export function createRedisEpoch(admitted: AdmittedCharges, log: Log): RedisEpoch {
  let synced = "";
  /** Taken from `unshared` and not confirmed by Redis yet. */
  let unsent: Charge[] = [];

  const chargeAll = async (run: Run, epoch: string) => {
    // Lets responses that arrived before the epoch's be counted first.
    await Bun.sleep(0);
    unsent = [];
    let subjects = 0;
    for (const batch of batches(admitted.all())) {
      subjects += batch.length;
      await run((counter) => counter.charge(batch));
      await run((counter) => counter.epoch(epoch, true));
    }
    if (synced !== "") log("rate_limit_store_reset", { level: "warn", subjects });
    synced = epoch;
  };

  /** A batch whose response is lost is sent again: counted twice rather than not at all. */
  const chargeUnshared = async (run: Run) => {
    unsent.push(...admitted.unshared());
    for (const batch of batches(unsent.slice())) {
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
        else if (opens_in_ms > 0) await Bun.sleep(Math.min(opens_in_ms, LOOK_EVERY_MS));
        else break;
      }
      await chargeUnshared(run);
    },
  };
}

const LOOK_EVERY_MS = 50;
const MAX_BATCH = 200;

/** Groups charges of the same space: one script call takes the keys of one gateway and window. */
function* batches(charges: Iterable<Charge>): Generator<Charge[]> {
  let batch: Charge[] = [];
  for (const charge of charges) {
    if (batch.length === MAX_BATCH || (batch[0] && batch[0].space !== charge.space)) {
      yield batch;
      batch = [];
    }
    batch.push(charge);
  }
  if (batch.length > 0) yield batch;
}
