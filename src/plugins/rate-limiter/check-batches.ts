/** Collects the checks of one event-loop turn in batches, for counters in another process. */
import type { LimitCheck, LimitVerdict, UsageQuery } from "./counter.ts";

/** Requests with the same limits. */
export interface CheckBatch {
  /** Only requests with the same claim are in one batch. */
  claim: string;
  limits: readonly UsageQuery[];
  /** For each request the number of requests to charge; 0 to check for one. */
  charges: number[];
  /** For each request the subject of each limit. */
  subjects: string[];
}

/** Bounds the time in which the other process serves no other call. */
const MAX_BATCH = 100;

/**
 * `send` returns numbers for each request: 1 when it is admitted, then for each limit its usage and the microseconds until
 * the next slot becomes available. It returns undefined when the requests were not counted.
 */
export function createCheckBatches(
  send: (batch: CheckBatch) => Promise<readonly number[] | undefined>,
) {
  let waiting: { batch: CheckBatch; verdicts: Pending[] }[] = [];

  const sendAll = () => {
    const full = waiting;
    waiting = [];
    for (const { batch, verdicts } of full) {
      send(batch).then(
        (numbers) => {
          for (const [index, { resolve }] of verdicts.entries()) {
            resolve(numbers && readVerdict(numbers, index, batch.limits.length));
          }
        },
        (thrown: unknown) => {
          for (const { reject } of verdicts) reject(thrown);
        },
      );
    }
  };

  return (checks: readonly LimitCheck[], charge: number, claim = "") => {
    if (waiting.length === 0) setImmediate(sendAll);
    let found = waiting.find(({ batch }) => mayJoin(batch, checks, claim));
    if (!found) {
      found = { batch: { claim, limits: checks, charges: [], subjects: [] }, verdicts: [] };
      waiting.push(found);
    }
    found.batch.charges.push(charge);
    for (const { subject } of checks) found.batch.subjects.push(subject);
    const verdict: Pending = Promise.withResolvers();
    found.verdicts.push(verdict);
    return verdict.promise;
  };
}

type Pending = PromiseWithResolvers<LimitVerdict | undefined>;

function mayJoin(batch: CheckBatch, checks: readonly LimitCheck[], claim: string): boolean {
  const { limits, charges } = batch;
  if (batch.claim !== claim || limits.length !== checks.length) return false;
  if (charges.length === MAX_BATCH) return false;
  return checks.every(({ space, limit }, at) => {
    const first = limits[at];
    // The space names the gateway and the window.
    return first?.space === space && first.limit === limit;
  });
}

function readVerdict(numbers: readonly number[], index: number, count: number): LimitVerdict {
  const start = index * (2 * count + 1);
  return {
    admitted: numbers[start] === 1,
    counts: Array.from({ length: count }, (_, at) => ({
      used: numbers[start + 2 * at + 1] ?? 0,
      frees_in_ms: (numbers[start + 2 * at + 2] ?? 0) / 1000,
    })),
  };
}

/** Appends the numbers that `readVerdict` reads. */
export function writeVerdict(numbers: number[], { admitted, counts }: LimitVerdict): void {
  numbers.push(Number(admitted));
  for (const { used, frees_in_ms } of counts) numbers.push(used, Math.round(frees_in_ms * 1000));
}
