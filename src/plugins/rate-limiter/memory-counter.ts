/** Counts in the memory of this process: exact, in one step, and bounded however many subjects come. */
import {
  type Charge,
  freeingLimit,
  type LimitCheck,
  type LimitUsage,
  type LimitVerdict,
  type SubjectUsage,
} from "./counter.ts";
import {
  advance,
  charge,
  copyRing,
  freesAt,
  isIdle,
  newRing,
  partAt,
  partStart,
  partsOf,
  type Ring,
} from "./ring.ts";

/** Subjects that are remembered at once, over all gateways. */
const MAX_SUBJECTS = 1_000_000;

export interface MemoryCounter {
  /** All asks are checked, then all are charged. `nowMs` is of a clock that never runs backwards. */
  take(asks: readonly LimitCheck[], nowMs: number): LimitVerdict;
  /** The same verdict, and nothing is charged. */
  check(asks: readonly LimitCheck[], nowMs: number): LimitVerdict;
  /** Counts a request that was admitted elsewhere, whatever the limits. */
  charge(asks: readonly LimitCheck[], nowMs: number): void;
  /** Yields what every subject was charged; those that were counted together for want of room are left out. */
  charges(nowMs: number): Generator<Charge>;
  /** Everyone in a space who has used something, in no order. */
  listUsage(space: string, limit: number, nowMs: number): Generator<SubjectUsage>;
  /** False when there was nothing to forget. */
  forget(space: string, subject: string): boolean;
  /** Subjects that are remembered now. */
  size(): number;
}

interface Space {
  window_s: number;
  subjects: Map<string, Ring>;
  /** Counts all newcomers for whom there was no place together, so that a limit stays a limit. */
  overflow: Ring | undefined;
}

export function createMemoryCounter(most = MAX_SUBJECTS): MemoryCounter {
  const spaces = new Map<string, Space>();
  let size = 0;
  let stepsDue = 0;

  const run = (
    asks: readonly LimitCheck[],
    nowMs: number,
    pay: "if admitted" | "always" | "never",
  ) => {
    // Before any ring is at hand: a ring that is dropped while in use would be charged for nothing.
    stepsDue += size + asks.length > most ? STEPS_FOR_ROOM : STEPS_PER_REQUEST;
    for (; stepsDue >= 1; stepsDue--) tour.next(nowMs);
    const places: Space[] = [];
    const rings: (Ring | undefined)[] = [];
    let admitted = true;
    for (const ask of asks) {
      const space = spaceOf(ask);
      const ring = space.subjects.get(ask.subject) ?? space.overflow;
      if (ring) advance(ring, partAt(nowMs, ask.window_s));
      if ((ring?.total ?? 0) + (ask.cost ?? 1) > ask.limit) admitted = false;
      places.push(space);
      rings.push(ring);
    }
    const charged = pay === "always" || (pay === "if admitted" && admitted);
    const counts = asks.map((ask, at) => {
      const space = places[at];
      let ring = rings[at];
      if (charged && space) {
        if (!ring || ring === space.overflow) ring = placeFor(space, ask, nowMs);
        charge(ring, ask.cost ?? 1);
      }
      const limit = freeingLimit(ask.limit, ask.cost ?? 1, admitted);
      return countOf(ring, { limit, window_s: ask.window_s }, nowMs);
    });
    return { admitted, counts };
  };

  const spaceOf = ({ space: name, window_s }: LimitCheck): Space => {
    let space = spaces.get(name);
    if (!space) {
      space = { window_s, subjects: new Map(), overflow: undefined };
      spaces.set(name, space);
    }
    return space;
  };

  /** A ring for a subject that has none of its own. */
  const placeFor = (space: Space, ask: LimitCheck, nowMs: number): Ring => {
    if (size >= most) {
      space.overflow ??= newRing(partAt(nowMs, ask.window_s));
      return space.overflow;
    }
    // It may be among those who were counted together: then what they used holds what it used.
    const ring = space.overflow ? copyRing(space.overflow) : newRing(partAt(nowMs, ask.window_s));
    space.subjects.set(ask.subject, ring);
    size += 1;
    stepsDue += STEPS_PER_NEWCOMER;
    return ring;
  };

  /** Every step looks at one subject and drops it when it is idle; in time it comes round to all. */
  const tour = (function* (): Generator<void, never, number> {
    for (;;) {
      for (const { window_s, subjects } of spaces.values()) {
        for (const [subject, ring] of subjects) {
          const nowMs = yield;
          if (!isIdle(ring, partAt(nowMs, window_s)) || subjects.get(subject) !== ring) continue;
          subjects.delete(subject);
          size -= 1;
        }
      }
      yield;
    }
  })();

  return {
    take: (asks, nowMs) => run(asks, nowMs, "if admitted"),
    check: (asks, nowMs) => run(asks, nowMs, "never"),
    charge: (asks, nowMs) => void run(asks, nowMs, "always"),
    *charges(nowMs) {
      for (const [space, { window_s, subjects }] of spaces) {
        for (const [subject, ring] of subjects) {
          advance(ring, partAt(nowMs, window_s));
          if (ring.total === 0) continue;
          const slots = Array.from(partsOf(ring), ({ part, count }) => ({
            latest_ms: partStart(part + 1, window_s),
            count,
          }));
          yield { space, subject, window_s, slots };
        }
      }
    },
    *listUsage(name, limit, nowMs) {
      const space = spaces.get(name);
      if (!space) return;
      const { window_s } = space;
      for (const [subject, ring] of space.subjects) {
        advance(ring, partAt(nowMs, window_s));
        if (ring.total > 0) yield { subject, ...countOf(ring, { limit, window_s }, nowMs) };
      }
    },
    forget(name, subject) {
      const gone = spaces.get(name)?.subjects.delete(subject) ?? false;
      if (gone) size -= 1;
      return gone;
    },
    size: () => size,
  };
}

const STEPS_PER_REQUEST = 0.25;
/** More than one, so that the idle go faster than strangers come. */
const STEPS_PER_NEWCOMER = 2;
const STEPS_FOR_ROOM = 32;

function countOf(
  ring: Ring | undefined,
  { limit, window_s }: Pick<LimitCheck, "limit" | "window_s">,
  nowMs: number,
): LimitUsage {
  if (!ring?.total) return { used: 0, frees_in_ms: 0 };
  return { used: ring.total, frees_in_ms: partStart(freesAt(ring, limit), window_s) - nowMs };
}
