/** Counts in the memory of this process: exact, synchronous, and bounded for any number of subjects. */
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

/** Caps the subjects of all gateways together. */
const MAX_SUBJECTS = 1_000_000;

export interface MemoryCounter {
  /** Checks all limits, then charges all of them if all admit. `nowMs` comes from a monotonic clock. */
  take(checks: readonly LimitCheck[], nowMs: number): LimitVerdict;
  /** Returns the same verdict and charges nothing. */
  check(checks: readonly LimitCheck[], nowMs: number): LimitVerdict;
  /** Counts a request that was admitted elsewhere, regardless of the limits. */
  charge(checks: readonly LimitCheck[], nowMs: number): void;
  /** Yields the charges of every subject, except those that share the overflow ring. */
  charges(nowMs: number): Generator<Charge>;
  /** Yields the subjects of a space that have usage, in no order. */
  listUsage(space: string, limit: number, nowMs: number): Generator<SubjectUsage>;
  /** Returns false when the subject had no usage. */
  forget(space: string, subject: string): boolean;
  /** Returns the number of subjects in memory. */
  size(): number;
}

interface Space {
  window_s: number;
  subjects: Map<string, Ring>;
  /** Counts all new subjects together once memory is full, so that the limit still holds. */
  overflow: Ring | undefined;
}

export function createMemoryCounter(maxSubjects = MAX_SUBJECTS): MemoryCounter {
  const spaces = new Map<string, Space>();
  let size = 0;
  let stepsDue = 0;

  const run = (
    checks: readonly LimitCheck[],
    nowMs: number,
    charging: "if admitted" | "always" | "never",
  ) => {
    // Before any ring is looked up: a charge to a ring that is evicted afterwards would be lost.
    stepsDue += size + checks.length > maxSubjects ? STEPS_WHEN_FULL : STEPS_PER_REQUEST;
    for (; stepsDue >= 1; stepsDue--) sweep.next(nowMs);
    const checkedSpaces: Space[] = [];
    const rings: (Ring | undefined)[] = [];
    let admitted = true;
    for (const check of checks) {
      const space = findSpace(check);
      const ring = space.subjects.get(check.subject) ?? space.overflow;
      if (ring) advance(ring, partAt(nowMs, check.window_s));
      if ((ring?.total ?? 0) + (check.cost ?? 1) > check.limit) admitted = false;
      checkedSpaces.push(space);
      rings.push(ring);
    }
    const isCharged = charging === "always" || (charging === "if admitted" && admitted);
    const counts = checks.map((check, at) => {
      const space = checkedSpaces[at];
      let ring = rings[at];
      if (isCharged && space) {
        if (!ring || ring === space.overflow) ring = addRing(space, check, nowMs);
        charge(ring, check.cost ?? 1);
      }
      const limit = freeingLimit(check.limit, check.cost ?? 1, admitted);
      return toUsage(ring, { limit, window_s: check.window_s }, nowMs);
    });
    return { admitted, counts };
  };

  const findSpace = ({ space: name, window_s }: LimitCheck): Space => {
    let space = spaces.get(name);
    if (!space) {
      space = { window_s, subjects: new Map(), overflow: undefined };
      spaces.set(name, space);
    }
    return space;
  };

  /** Adds a ring for a subject that has none of its own; returns the overflow ring when memory is full. */
  const addRing = (space: Space, check: LimitCheck, nowMs: number): Ring => {
    if (size >= maxSubjects) {
      space.overflow ??= newRing(partAt(nowMs, check.window_s));
      return space.overflow;
    }
    // The subject may have been counted in the overflow ring, whose usage is an upper bound of its own.
    const ring = space.overflow ? copyRing(space.overflow) : newRing(partAt(nowMs, check.window_s));
    space.subjects.set(check.subject, ring);
    size += 1;
    stepsDue += STEPS_PER_NEW_SUBJECT;
    return ring;
  };

  /** Each step evicts one subject if it is idle; the sweep visits all subjects in turn. */
  const sweep = (function* (): Generator<void, never, number> {
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
    take: (checks, nowMs) => run(checks, nowMs, "if admitted"),
    check: (checks, nowMs) => run(checks, nowMs, "never"),
    charge: (checks, nowMs) => void run(checks, nowMs, "always"),
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
        if (ring.total > 0) yield { subject, ...toUsage(ring, { limit, window_s }, nowMs) };
      }
    },
    forget(name, subject) {
      const isDeleted = spaces.get(name)?.subjects.delete(subject) ?? false;
      if (isDeleted) size -= 1;
      return isDeleted;
    },
    size: () => size,
  };
}

/** Sweep steps per request. */
const STEPS_PER_REQUEST = 0.25;
/** More than one, so that idle subjects are evicted faster than new ones arrive. */
const STEPS_PER_NEW_SUBJECT = 2;
/** While memory is full. */
const STEPS_WHEN_FULL = 32;

function toUsage(
  ring: Ring | undefined,
  { limit, window_s }: Pick<LimitCheck, "limit" | "window_s">,
  nowMs: number,
): LimitUsage {
  if (!ring?.total) return { used: 0, frees_in_ms: 0 };
  return { used: ring.total, frees_in_ms: partStart(freesAt(ring, limit), window_s) - nowMs };
}
