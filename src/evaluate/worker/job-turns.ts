/**
 * Turns of the jobs in one worker. A job waits while the owner of another one has worked less, and while its own owner has
 * a smaller one: a small job calls the main thread several times, and would wait for a detector of a large one each time.
 */
import { elapsedMs } from "../../lib/time/clock.ts";

/** Interval of the check for a job that may continue, while all of them wait for others. */
const POLL_MS = 2;
/** A job that has waited for longer does not wait for smaller ones of its owner, so that many of them do not stop it. */
const MAX_WAIT_MS = 500;
/** A job that has run for less keeps its turn: a turn costs it the work of another job. */
const MIN_WORK_MS = 50;
/** A job that waits longer for the main thread, such as for a remote detector, delays no other. */
const MAX_CALL_MS = 50;

export interface JobTurn {
  /**
   * Lets others run that come first, before the job begins and after each call: the parts of a batch and the results of calls
   * arrive together.
   */
  begin: () => Promise<void>;
  /** The same while the job works. */
  wait: () => Promise<void>;
  /** Runs a call of the main thread, of which only the time that others wait for it is work. */
  call: <T>(work: () => Promise<T>) => Promise<T>;
  /** Ends the job. */
  end: () => void;
}

export interface JobTurns {
  add: (owner: string, size: number) => JobTurn;
}

interface Owner {
  jobs: number;
  worked_ms: number;
}

interface Job {
  owner: Owner;
  size: number;
  /** Start of the work that is not counted yet. */
  since: number;
  /** Calls that have not returned: a batch has several. */
  calls: number;
  /** Time of the last call, or of its return, while some have not returned. */
  called_at: number;
  /** Time of the waits that have ended. */
  waited_ms: number;
}

interface Waiter {
  job: Job;
  began: number;
  resume: () => void;
}

export function createJobTurns({
  maxWaitMs = MAX_WAIT_MS,
  minWorkMs = MIN_WORK_MS,
} = {}): JobTurns {
  const owners = new Map<string, Owner>();
  const jobs = new Set<Job>();
  /** In the order of their arrival. */
  const waiters = new Set<Waiter>();

  /** A new owner has worked as much as the one that has worked least: otherwise it could delay all others. */
  function findOwner(name: string): Owner {
    const known = owners.get(name);
    if (known) return known;
    const worked = Array.from(owners.values(), ({ worked_ms }) => worked_ms);
    const owner = { jobs: 0, worked_ms: worked.length > 0 ? Math.min(...worked) : 0 };
    owners.set(name, owner);
    return owner;
  }

  const countWork = (job: Job): void => {
    const now = elapsedMs();
    job.owner.worked_ms += now - job.since;
    job.since = now;
  };
  const isCalling = ({ calls, called_at }: Job) =>
    calls > 0 && elapsedMs() - called_at > MAX_CALL_MS;
  const isBehindOwner = (job: Job) =>
    jobs.values().some((other) => other.owner.worked_ms < job.owner.worked_ms && !isCalling(other));
  const isBehindSmaller = ({ owner, size }: Job) =>
    jobs.values().some((other) => other.owner === owner && other.size < size && !isCalling(other));
  const hasWaited = ({ job, began }: Waiter) => job.waited_ms + elapsedMs() - began >= maxWaitMs;
  const mayResume = (waiter: Waiter) =>
    !isBehindOwner(waiter.job) && (!isBehindSmaller(waiter.job) || hasWaited(waiter));

  /** Lets one job continue in a turn of the event loop: messages of the main thread are read in between. */
  function resumeNext(): void {
    const next = waiters.values().find(mayResume);
    if (next) waiters.delete(next);
    next?.resume();
    if (waiters.size === 0) return;
    if (next) setImmediate(resumeNext);
    else setTimeout(resumeNext, POLL_MS);
  }

  async function waitForTurn(job: Job): Promise<void> {
    const began = elapsedMs();
    const { promise, resolve: resume } = Promise.withResolvers<void>();
    waiters.add({ job, began, resume });
    if (waiters.size === 1) setImmediate(resumeNext);
    await promise;
    job.waited_ms += elapsedMs() - began;
  }

  return {
    add(name, size) {
      const owner = findOwner(name);
      const since = elapsedMs();
      const job: Job = { owner, size, since, calls: 0, called_at: 0, waited_ms: 0 };
      owner.jobs += 1;
      jobs.add(job);
      let resumed = since;
      const resume = async () => {
        await waitForTurn(job);
        job.since = elapsedMs();
        resumed = job.since;
      };
      return {
        async begin() {
          if (jobs.size > 1) await resume();
        },
        async wait() {
          if (elapsedMs() - resumed < minWorkMs) return;
          countWork(job);
          await resume();
        },
        async call(work) {
          countWork(job);
          job.calls += 1;
          job.called_at = job.since;
          try {
            return await work();
          } finally {
            job.calls -= 1;
            job.since = elapsedMs();
            owner.worked_ms += Math.min(job.since - job.called_at, MAX_CALL_MS);
            job.called_at = job.since;
          }
        },
        end() {
          countWork(job);
          jobs.delete(job);
          owner.jobs -= 1;
          if (owner.jobs === 0) owners.delete(name);
        },
      };
    },
  };
}
