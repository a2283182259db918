/** Random traffic for the limiter, and an oracle that remembers every request and counts by hand. */
import type { LimitCheck, LimitVerdict } from "../../src/plugins/rate-limiter/counter.ts";
import type { Random } from "../kit/random.ts";

export interface Request {
  /** Milliseconds of real time. */
  at: number;
  /** What a wall clock shows then: it may have been set back or forward meanwhile. */
  wall: number;
  asks: LimitCheck[];
}

const START = 1_760_000_000_123;
const WINDOWS_S = [1, 1, 2, 7, 60, 90, 3_600, 86_400];

/** Some requests against one to four limits. `name` keeps patterns apart; `clock` is how it may move. */
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
    const asks = limits.map(({ subjects, ...limit }) => ({
      ...limit,
      subject: `s${random.below(subjects)}`,
      cost,
    }));
    requests.push({ at, wall: at + offset, asks });
  }
  return requests;
}

/** Bursts, steps of a part, and the very edges of the windows of earlier requests. */
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

/** What was admitted of each subject, as times. */
export function createOracle() {
  const admitted = new Map<string, number[]>();
  const timesOf = ({ space, subject }: LimitCheck): number[] => {
    const times = admitted.get(space + subject) ?? [];
    admitted.set(space + subject, times);
    return times;
  };
  return {
    admit: (asks: readonly LimitCheck[], at: number) => {
      for (const ask of asks) {
        for (let left = ask.cost ?? 1; left > 0; left--) timesOf(ask).push(at);
      }
    },
    /** Admitted ones in the closed interval of this length that ends at `at`. */
    count: (ask: LimitCheck, at: number, lengthMs: number) =>
      timesOf(ask).filter((time) => time >= at - lengthMs && time <= at).length,
    /** When an exact limiter would have room again: just after the oldest that must go has left. */
    roomAt: (ask: LimitCheck, at: number) => {
      const windowMs = ask.window_s * 1000;
      const inside = timesOf(ask).filter((time) => time >= at - windowMs && time <= at);
      const leaving = inside.length - ask.limit + (ask.cost ?? 1) - 1;
      const sorted = inside.toSorted((one, other) => one - other);
      // A request that costs more than the limit never fits: it is given the time when all have left.
      const last = sorted[Math.min(leaving, sorted.length - 1)];
      return last === undefined ? at : last + windowMs;
    },
  };
}

/** Why the verdicts on a pattern break the promise; nothing when they keep it. */
export function violations(
  requests: readonly Request[],
  verdicts: readonly LimitVerdict[],
): string[] {
  const oracle = createOracle();
  const found: string[] = [];
  for (const [index, { at, asks }] of requests.entries()) {
    const { admitted, counts } = verdicts[index] ?? { admitted: false, counts: [] };
    if (admitted) oracle.admit(asks, at);
    const judged = asks.map((ask, place) => {
      const windowMs = ask.window_s * 1000;
      return {
        ask,
        exact: oracle.count(ask, at, windowMs),
        late: oracle.count(ask, at, windowMs + windowMs / 64),
        used: counts[place]?.used ?? -1,
        room: at + (counts[place]?.frees_in_ms ?? Number.NaN),
        slack: windowMs / 64,
      };
    });
    const full = judged.filter(({ ask, late }) => late + (ask.cost ?? 1) > ask.limit);
    if (judged.some(({ ask, exact }) => exact > ask.limit)) {
      found.push(`request ${index}: more than the limit inside a window`);
    }
    if (!admitted && full.length === 0) found.push(`request ${index}: refused too early`);
    if (judged.some(({ exact, late, used }) => used < exact || used > late)) {
      found.push(`request ${index}: tells a wrong number of used ones`);
    }
    const refusing = judged.filter(
      ({ ask, used }) => used > 0 && used + (ask.cost ?? 1) > ask.limit,
    );
    for (const { ask, room, slack } of admitted ? [] : refusing) {
      const exact = oracle.roomAt(ask, at);
      if (!(room >= exact && room <= exact + slack + 1)) {
        found.push(`request ${index}: room at ${room} instead of ${exact}`);
      }
    }
  }
  return found;
}
