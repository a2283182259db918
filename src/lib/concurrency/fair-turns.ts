/** Turns of one thread for work that takes milliseconds: the owner that will have worked least is next. */
import { elapsedMs } from "../time/clock.ts";

export interface TimedTurn {
  owner: string;
  /** Estimated duration of the work. */
  ms: number;
  /** True for work that has begun: it precedes other work of its owner, which would take memory beside it. */
  continues?: boolean;
}

export interface FairTurns {
  /** Returns a promise if the caller has to wait, because this turn of the event loop has done enough. */
  take: (turn: TimedTurn) => Promise<void> | undefined;
  /** Measures work of unknown duration, such as that of a stream. */
  measure: (owner: string) => WorkMeter;
}

/** Counts the time of one sequence of work. That of a read, or of another wait, is not counted. */
export interface WorkMeter {
  /** Starts to count, after a wait. */
  start: () => void;
  /** Counts the time since the start. Returns a promise if others have a turn first. */
  yieldIfDue: () => Promise<void> | undefined;
  /** Waits for a call, whose time is not counted here. */
  exclude: <T>(call: () => Promise<T>) => Promise<T>;
}

/** A turn of the event loop should take no longer. */
export const MAX_TURN_MS = 8;
/** Minimum part of a turn for each waiting owner. A shorter one would cost more than it yields. */
const MIN_TURN_MS = 1;
/** Number of steps that the moving average covers. */
const AVERAGED_STEPS = 8;
/** A turn takes as long as the other work since the last one, up to this limit: otherwise work that waits would get little time. */
const MAX_LONG_TURN_MS = 64;
/** Work counts as at most this many times its estimate: the rest of the time of the turn was work of others. */
const MAX_ERROR = 16;
/** Beyond these, owners that do not wait are forgotten. */
const MAX_OWNERS = 1000;

interface Owner {
  worked_ms: number;
  /** Time that the owner may work, in all its meters together, before its next turn. */
  allowed_ms: number;
  waiting: Waiter[];
  /** Moving average of the work between two checks of its meters. */
  step_ms: number;
}

interface Waiter {
  ms: number;
  resume: () => void;
}

/** `clock` returns milliseconds. */
export function createFairTurns(clock = elapsedMs): FairTurns {
  const owners = new Map<string, Owner>();
  /** Work of the first owner of the last turn, before that turn. */
  let least_ms = 0;
  /** Estimated work of this turn of the event loop. */
  let current_ms = 0;
  /** Maximum of `current_ms`. */
  let max_ms = MAX_TURN_MS;
  /** End of the work of the last turn. */
  let ended = 0;
  /** Start of this turn, and the part of its time that meters have counted. */
  let began = 0;
  let metered_ms = 0;
  /** Work of this turn that is not metered: its time is known when it has ended. */
  let taken: { owner: Owner; ms: number }[] = [];
  let waitingOwners = 0;

  /** An owner that was idle has worked as much as the next one: otherwise it could delay the others as long as it was. */
  function findOwner(name: string): Owner {
    let owner = owners.get(name);
    if (!owner) {
      owner = { worked_ms: 0, allowed_ms: 0, waiting: [], step_ms: MAX_TURN_MS };
      owners.set(name, owner);
    }
    if (owner.waiting.length === 0) owner.worked_ms = Math.max(owner.worked_ms, least_ms);
    return owner;
  }

  const fits = (ms: number) => current_ms === 0 || current_ms + ms <= max_ms;

  function begin(owner: Owner, ms: number): void {
    if (current_ms === 0) {
      least_ms = owner.worked_ms;
      setImmediate(startTurn);
      // Runs when the work that begins in `startTurn` has ended, and before anything else.
      setImmediate(endTurn);
      began = clock();
      metered_ms = 0;
    }
    current_ms += ms;
  }

  /** Counts the time that has passed instead of the estimates, in proportion to them. */
  function countTaken(): void {
    const spent = Math.max(0, clock() - began - metered_ms);
    const estimated = taken.reduce((sum, { ms }) => sum + ms, 0);
    for (const { owner, ms } of taken) {
      const share = (spent * ms) / estimated;
      owner.worked_ms += Math.min(share, MAX_ERROR * ms) - toProvisional(ms);
    }
    taken = [];
  }

  function endTurn(): void {
    countTaken();
    ended = clock();
  }

  /** Lets those continue that wait, in a new turn of the event loop. */
  function startTurn(): void {
    countTaken();
    const other_ms = ended > began ? clock() - ended : 0;
    max_ms = Math.max(MAX_TURN_MS, Math.min(other_ms, MAX_LONG_TURN_MS));
    current_ms = 0;
    for (;;) {
      const owner = findNext();
      const next = owner?.waiting[0];
      if (!owner || !next || !fits(next.ms)) break;
      owner.waiting.shift();
      if (owner.waiting.length === 0) waitingOwners -= 1;
      begin(owner, next.ms);
      next.resume();
    }
    if (owners.size > MAX_OWNERS) forgetIdle();
  }

  /** Returns the owner that has worked least after its next turn: short work does not wait for owners that have worked as much. */
  function findNext(): Owner | undefined {
    let next: Owner | undefined;
    let least = Infinity;
    for (const owner of owners.values()) {
      const [waiter] = owner.waiting;
      if (!waiter) continue;
      const after = owner.worked_ms + toProvisional(waiter.ms);
      if (after >= least) continue;
      next = owner;
      least = after;
    }
    return next;
  }

  function forgetIdle(): void {
    for (const [name, { waiting }] of owners) if (waiting.length === 0) owners.delete(name);
  }

  /** Calls `onBegin` when the turn begins. */
  function wait({ owner: name, ms, continues }: TimedTurn, onBegin: (owner: Owner) => void) {
    const owner = findOwner(name);
    if (waitingOwners === 0 && fits(ms)) {
      begin(owner, ms);
      onBegin(owner);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const resume = () => {
      onBegin(owner);
      resolve();
    };
    if (owner.waiting.length === 0) waitingOwners += 1;
    if (continues) owner.waiting.unshift({ ms, resume });
    else owner.waiting.push({ ms, resume });
    return promise;
  }

  return {
    take: (turn) =>
      wait(turn, (owner) => {
        owner.worked_ms += toProvisional(turn.ms);
        taken.push({ owner, ms: turn.ms });
      }),
    measure(name) {
      let began = clock();
      const start = () => {
        began = clock();
      };
      const count = (): Owner => {
        const owner = findOwner(name);
        const ms = clock() - began;
        start();
        metered_ms += ms;
        owner.worked_ms += ms;
        owner.allowed_ms -= ms;
        owner.step_ms += (ms - owner.step_ms) / AVERAGED_STEPS;
        return owner;
      };
      return {
        start,
        yieldIfDue() {
          const { allowed_ms, step_ms } = count();
          if (allowed_ms > 0) return undefined;
          const share_ms = Math.max(MIN_TURN_MS, MAX_TURN_MS / (waitingOwners + 1));
          const ms = Math.min(Math.max(step_ms, share_ms), MAX_TURN_MS);
          const turn = wait({ owner: name, ms }, (owner) => {
            owner.allowed_ms = ms;
          });
          return turn?.then(start);
        },
        async exclude(call) {
          count();
          try {
            return await call();
          } finally {
            start();
          }
        },
      };
    },
  };
}

/** Returns what is counted until the time of the turn is known. */
const toProvisional = (ms: number): number => Math.min(ms, MAX_TURN_MS);
