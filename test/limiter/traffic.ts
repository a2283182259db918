/** Random traffic for the limiter, and an oracle that stores the time of every request. */
import type { LimitCheck, LimitVerdict } from "../../src/plugins/rate-limiter/counter.ts";
import type { Random } from "../kit/random.ts";

export interface Request {
  /** Milliseconds of real time. */
  at: number;
  /** Time of the wall clock, which may have been set back or forward. */
  wall: number;
  checks: LimitCheck[];
}

const START = 1_760_000_000_123;
const WINDOWS_S = [1, 1, 2, 7, 60, 90, 3_600, 86_400];

/** Returns requests against one to four limits. `name` separates patterns; `clock` says whether the clock is set. */
export function traffic(random: Random, name: string, clock: "steady" | "stepping"): Request[] {
  const limits = Array.from({ length: 1 + random.below(4) }, (_, index) => ({
    space: `${name}:${index}:`,
    limit: 1 + random.below(random.pick([1, 3, 12, 40])),
    window_s: random.pick(WINDOWS_S),
    subjects: 1 + random.below(3),
  }));
  const requests: Request[] = [];
  let at = START + random.below(1_000_000);
  let offset = 0;
  for (let left = 20 + random.below(80); left > 0; left--) {
    const windowMs = random.pick(limits).window_s * 1000;
    const earlier = requests.length > 0 ? random.pick(requests).at : at;
    at = Math.max(at, Math.floor(nextTime(random, at, earlier, windowMs)));
    if (clock === "stepping" && random.below(12) === 0) {
      offset += Math.floor((random.next() - 0.6) * random.pick([10, windowMs, 5 * windowMs]));
    }
    const cost = random.pick([1, 1, 1, 2, 5]);
    const checks = limits.map(({ subjects, ...limit }) => ({
      ...limit,
      subject: `s${random.below(subjects)}`,
      cost,
    }));
    requests.push({ at, wall: at + offset, checks });
  }
  return requests;
}

/** Returns the time of the next request: bursts, steps of a part, and the edges of earlier windows. */
function nextTime(random: Random, at: number, earlier: number, windowMs: number): number {
  const edge = random.below(5) - 2;
  return random.pick([
    at,
    at,
    at + 1,
    at + random.below(windowMs / 20),
    at + random.below(windowMs),
    earlier + windowMs + edge,
    earlier + windowMs + edge,
    earlier + windowMs + windowMs / 64 + edge,
    at + windowMs / 64 + edge,
    at + random.below(3 * windowMs),
  ]);
}

/** Stores the admission times of each subject. */
export function createOracle() {
  const admitted = new Map<string, number[]>();
  const timesOf = ({ space, subject }: LimitCheck): number[] => {
    const times = admitted.get(space + subject) ?? [];
    admitted.set(space + subject, times);
    return times;
  };
  return {
    admit: (checks: readonly LimitCheck[], at: number) => {
      for (const check of checks) {
        for (let left = check.cost ?? 1; left > 0; left--) timesOf(check).push(at);
      }
    },
    /** Returns the admitted requests in the closed interval of this length that ends at `at`. */
    count: (check: LimitCheck, at: number, lengthMs: number) =>
      timesOf(check).filter((time) => time >= at - lengthMs && time <= at).length,
    /** Returns when an exact limiter admits again: when the oldest request that must expire is outside the window. */
    roomAt: (check: LimitCheck, at: number) => {
      const windowMs = check.window_s * 1000;
      const inside = timesOf(check).filter((time) => time >= at - windowMs && time <= at);
      const expiring = inside.length - check.limit + (check.cost ?? 1) - 1;
      const sorted = inside.toSorted((one, other) => one - other);
      // A request that costs more than the limit never fits: returns the time when all have expired.
      const last = sorted[Math.min(expiring, sorted.length - 1)];
      return last === undefined ? at : last + windowMs;
    },
  };
}

/** Returns how the verdicts on a pattern violate the guarantee. */
export function violations(
  requests: readonly Request[],
  verdicts: readonly LimitVerdict[],
): string[] {
  const oracle = createOracle();
  const found: string[] = [];
  for (const [index, { at, checks }] of requests.entries()) {
    const { admitted, counts } = verdicts[index] ?? { admitted: false, counts: [] };
    if (admitted) oracle.admit(checks, at);
    const measured = checks.map((check, position) => {
      const windowMs = check.window_s * 1000;
      return {
        check,
        exact: oracle.count(check, at, windowMs),
        late: oracle.count(check, at, windowMs + windowMs / 64),
        used: counts[position]?.used ?? -1,
        room: at + (counts[position]?.frees_in_ms ?? Number.NaN),
        slack: windowMs / 64,
      };
    });
    const full = measured.filter(({ check, late }) => late + (check.cost ?? 1) > check.limit);
    if (measured.some(({ check, exact }) => exact > check.limit)) {
      found.push(`request ${index}: more than the limit inside a window`);
    }
    if (!admitted && full.length === 0) found.push(`request ${index}: rejected too early`);
    if (measured.some(({ exact, late, used }) => used < exact || used > late)) {
      found.push(`request ${index}: reports a wrong usage`);
    }
    const exceeded = measured.filter(
      ({ check, used }) => used > 0 && used + (check.cost ?? 1) > check.limit,
    );
    for (const { check, room, slack } of admitted ? [] : exceeded) {
      const exact = oracle.roomAt(check, at);
      if (!(room >= exact && room <= exact + slack + 1)) {
        found.push(`request ${index}: room at ${room} instead of ${exact}`);
      }
    }
  }
  return found;
}
