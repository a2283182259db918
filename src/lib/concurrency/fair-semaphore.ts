/** Limits concurrency to `max` tasks, and to a share of them for each owner; waiting owners take turns. */
export interface FairLimits {
  max: number;
  /** Maximum of running tasks of one owner. */
  perOwner: number;
  /** Maximum size of the running tasks of one owner together. A larger task runs without others of its owner. */
  sizePerOwner?: number;
  /** Maximum of waiting tasks of one owner, and the error of the others. Undefined: no maximum. */
  waiting?: { max: number; full: () => Error };
}

export interface FairTurn {
  owner: string;
  size: number;
  /** Needed in each turn of the task, such as a worker. */
  resource?: {
    /** Returns false if it is in use: the task waits until a turn ends. */
    claim: () => boolean;
    release: () => void;
  };
}

interface Waiter extends FairTurn {
  start: () => void;
  /** True for a task that has started and takes another turn: it counts for its owner already. */
  continues: boolean;
}

/** Turn of a running task. */
export interface HeldTurn {
  /** Ends the turn, so that other owners have it. The task still counts for its own. */
  leave: () => void;
  /** Waits for another turn: after other owners, and before tasks of its own that have not started. */
  take: () => Promise<void>;
}

/** A task may leave its turn, and take another one. */
export type FairSemaphore = <T>(turn: FairTurn, task: (held: HeldTurn) => Promise<T>) => Promise<T>;

export function createFairSemaphore(limits: FairLimits): FairSemaphore {
  const { perOwner, sizePerOwner = Infinity } = limits;
  /** Owners with waiting tasks, the next one first. */
  const waiting = new Map<string, Waiter[]>();
  /** Tasks that have started and not ended, by owner. */
  const running = new Map<string, { tasks: number; size: number }>();
  let free = limits.max;

  const runningOf = (owner: string) => running.get(owner) ?? { tasks: 0, size: 0 };
  const mayStart = ({ owner, size, continues }: Waiter) => {
    const { tasks, size: held } = runningOf(owner);
    return continues || tasks === 0 || (tasks < perOwner && held + size <= sizePerOwner);
  };
  const startNext = () => {
    for (const [owner, queue] of waiting) {
      const [next] = queue;
      if (free === 0) return;
      if (!next || !mayStart(next) || next.resource?.claim() === false) continue;
      queue.shift();
      // Moves the owner to the end of the queue.
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue);
      free -= 1;
      if (!next.continues) {
        const { tasks, size } = runningOf(owner);
        running.set(owner, { tasks: tasks + 1, size: size + next.size });
      }
      next.start();
    }
  };
  /** Resolves when the task may start. */
  const start = (turn: FairTurn): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = waiting.get(turn.owner) ?? [];
    waiting.set(turn.owner, queue);
    queue.push({ ...turn, start: resolve, continues: false });
    startNext();
    return promise;
  };
  /** Resolves when the task may continue. */
  const resume = (turn: FairTurn): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = waiting.get(turn.owner) ?? [];
    const continuing = queue.filter(({ continues }) => continues).length;
    queue.splice(continuing, 0, { ...turn, start: resolve, continues: true });
    // After other owners, unless the owner has such a task already: it would wait again with each one.
    if (continuing === 0) waiting.delete(turn.owner);
    waiting.set(turn.owner, queue);
    startNext();
    return promise;
  };
  const endTurn = ({ resource }: FairTurn) => {
    free += 1;
    resource?.release();
  };
  const endTask = ({ owner, size }: FairTurn) => {
    const { tasks, size: held } = runningOf(owner);
    if (tasks > 1) running.set(owner, { tasks: tasks - 1, size: held - size });
    else running.delete(owner);
  };
  return async (turn, task) => {
    const queue = waiting.get(turn.owner);
    if (limits.waiting && queue && queue.length >= limits.waiting.max) throw limits.waiting.full();
    await start(turn);
    let hasTurn = true;
    let isOver = false;
    const leave = () => {
      hasTurn = false;
      endTurn(turn);
      startNext();
    };
    const take = async () => {
      await resume(turn);
      hasTurn = true;
      // The task may have failed while it waited.
      if (isOver) leave();
    };
    try {
      return await task({ leave, take });
    } finally {
      isOver = true;
      endTask(turn);
      if (hasTurn) leave();
      else startNext();
    }
  };
}
