/** Counts in the supervisor of a group of workers: one message for all checks of an event-loop turn. */
import type { Log } from "../../lib/log.ts";
import { createCheckBatches } from "./check-batches.ts";
import type { Charge, LimitCheck, UsageQuery } from "./counter.ts";
import type { CounterLink, UsageList } from "./counter-link.ts";
import type { CounterCall, CounterResult } from "./group-counter.ts";

/** Sends a call to the supervisor. Rejects when the supervisor has exited. */
export type CallCounters = (call: CounterCall) => Promise<CounterResult>;

/** Timeout of a message in ticks, for the reason given in redis-link.ts. */
const CALL_TIMEOUT_TICKS = 10;
const TICK_MS = 50;

interface StartedCall {
  tick: number;
  giveUp: () => void;
}

/** `takeUnshared` returns the requests that this worker has admitted on its own since the last call. */
export function createGroupLink(
  callCounters: CallCounters,
  log: Log,
  takeUnshared: () => Iterable<Charge>,
): CounterLink {
  /** Calls in flight, oldest first. */
  const inFlight = new Set<StartedCall>();
  let isUnavailable = false;
  let tick = 0;

  const run = <T extends CounterResult>(call: CounterCall): Promise<T | undefined> => {
    if (isUnavailable) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const started = { tick, giveUp: () => resolve(undefined) };
      inFlight.add(started);
      callCounters(call).then(
        (result) => {
          inFlight.delete(started);
          resolve(result as T); // the supervisor returns the type that belongs to the call
        },
        (thrown: unknown) => {
          if (inFlight.has(started)) lose(thrown);
        },
      );
    });
  };

  const runChecks = createCheckBatches(({ limits, charges, subjects }) =>
    run<number[]>({ name: "batch", limits: limits.map(toLimit), charges, subjects }),
  );

  /** Gives up all calls in flight: each is then counted by this worker. */
  const lose = (thrown: unknown) => {
    isUnavailable = true;
    log("rate_limit_store_lost", { level: "error", error: thrown });
    for (const { giveUp } of inFlight) giveUp();
    inFlight.clear();
    void recover();
  };

  /** Charges the supervisor with what was admitted without it, as soon as it responds again. */
  const recover = async () => {
    try {
      for (let checks: LimitCheck[] = []; ; ) {
        await callCounters({ name: "charge", checks });
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
    take: (checks) => runChecks(checks, checks[0]?.cost ?? 1),
    check: (checks) => runChecks(checks, 0),
    listUsage: ({ space, limit, window_s }) =>
      run<UsageList>({ name: "list", query: { space, limit, window_s } }),
    forget: (space, subject) => run<boolean>({ name: "forget", space, subject }),
    isUnavailable: () => isUnavailable,
    stop: () => clearInterval(ticks),
  };
}

/** Drops the members that the supervisor does not read. */
const toLimit = ({ space, limit, window_s }: UsageQuery): UsageQuery => ({
  space,
  limit,
  window_s,
});

/** Charged at the current time, which counts it longer than needed by the time of the outage. */
const toCheck = ({ space, subject, window_s, slots }: Charge): LimitCheck => ({
  space,
  subject,
  window_s,
  limit: 0,
  cost: slots.reduce((sum, { count }) => sum + count, 0),
});
