/** Counts in the supervisor of a group of workers: one message for all checks of an event-loop turn. */
import type { Log } from "../../lib/log.ts";
import type { Charge, LimitCheck, LimitVerdict } from "./counter.ts";
import type { CounterLink, UsageList } from "./counter-link.ts";
import type { CounterCall, CounterResult } from "./group-counter.ts";

/** Sends calls to the supervisor; resolves with one result per call. Rejects when the supervisor has exited. */
export type CallCounters = (calls: readonly CounterCall[]) => Promise<CounterResult[]>;

/** Timeout of a message in ticks, for the reason given in redis-link.ts. */
const CALL_TIMEOUT_TICKS = 10;
const TICK_MS = 50;

interface Waiting {
  call: CounterCall;
  resolve: (result: CounterResult | undefined) => void;
}

interface Batch {
  tick: number;
  waiting: Waiting[];
}

/** `takeUnshared` returns the requests that this worker has admitted on its own since the last call. */
export function createGroupLink(
  callCounters: CallCounters,
  log: Log,
  takeUnshared: () => Iterable<Charge>,
): CounterLink {
  let queue: Waiting[] = [];
  /** Batches in flight, oldest first. */
  const inFlight = new Set<Batch>();
  let isUnavailable = false;
  let tick = 0;

  const send = async () => {
    const batch: Batch = { tick, waiting: queue };
    queue = [];
    inFlight.add(batch);
    try {
      const results = await callCounters(batch.waiting.map(({ call }) => call));
      if (!inFlight.delete(batch)) return; // timed out before
      for (const [at, { resolve }] of batch.waiting.entries()) resolve(results[at]);
    } catch (thrown) {
      if (inFlight.has(batch)) lose(thrown);
    }
  };

  const run = <T extends CounterResult>(call: CounterCall): Promise<T | undefined> => {
    if (isUnavailable) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      if (queue.length === 0) setImmediate(send);
      // The supervisor returns the type that belongs to the call.
      queue.push({ call, resolve: (result) => resolve(result as T | undefined) });
    });
  };

  /** Gives up all calls in flight: each is then counted by this worker. */
  const lose = (thrown: unknown) => {
    isUnavailable = true;
    log("rate_limit_store_lost", { level: "error", error: thrown });
    for (const { waiting } of inFlight) for (const { resolve } of waiting) resolve(undefined);
    inFlight.clear();
    void recover();
  };

  /** Charges the supervisor with what was admitted without it, as soon as it responds again. */
  const recover = async () => {
    try {
      for (let checks: LimitCheck[] = []; ; ) {
        await callCounters([{ name: "charge", checks }]);
        checks = Array.from(takeUnshared(), toCheck);
        if (checks.length === 0) break;
      }
    } catch {
      return; // the supervisor has exited, and this worker is shutting down
    }
    isUnavailable = false;
    log("rate_limit_store_back", { level: "info" });
  };

  const ticks = setInterval(() => {
    tick += 1;
    const [oldest] = inFlight;
    if (oldest && tick - oldest.tick > CALL_TIMEOUT_TICKS) {
      lose(new Error("A call to the supervisor timed out."));
    }
  }, TICK_MS);

  return {
    take: (checks) => run<LimitVerdict>({ name: "take", checks: checks.map(toMessage) }),
    check: (checks) => run<LimitVerdict>({ name: "check", checks: checks.map(toMessage) }),
    listUsage: ({ space, limit, window_s }) =>
      run<UsageList>({ name: "list", query: { space, limit, window_s } }),
    forget: (space, subject) => run<boolean>({ name: "forget", space, subject }),
    isUnavailable: () => isUnavailable,
    stop: () => clearInterval(ticks),
  };
}

/** Drops the members that the supervisor does not read. */
const toMessage = ({ space, subject, limit, window_s, cost = 1 }: LimitCheck): LimitCheck => ({
  space,
  subject,
  limit,
  window_s,
  cost,
});

/** Charged at the current time, which counts it longer than needed by the time of the outage. */
const toCheck = ({ space, subject, window_s, slots }: Charge): LimitCheck => ({
  space,
  subject,
  window_s,
  limit: 0,
  cost: slots.reduce((sum, { count }) => sum + count, 0),
});
