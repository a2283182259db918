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
}

/** A task may pass its turn: it waits until it is the turn of its owner again. */
export type FairSemaphore = <T>(
  turn: FairTurn,
  task: (passTurn: () => Promise<void>) => Promise<T>,
) => Promise<T>;

export function createFairSemaphore(limits: FairLimits): FairSemaphore {
  const { perOwner, sizePerOwner = Infinity } = limits;
  /** Owners with waiting tasks, the next one first. */
  const waiting = new Map<string, Waiter[]>();
  const running = new Map<string, { tasks: number; size: number }>();
  let free = limits.max;

  const runningOf = (owner: string) => running.get(owner) ?? { tasks: 0, size: 0 };
  const mayStart = (owner: string, size: number) => {
    const { tasks, size: held } = runningOf(owner);
    return tasks === 0 || (tasks < perOwner && held + size <= sizePerOwner);
  };
  const startNext = () => {
    for (const [owner, queue] of waiting) {
      const [next] = queue;
      if (free === 0) return;
      if (!next || !mayStart(owner, next.size) || next.resource?.claim() === false) continue;
      queue.shift();
      // Moves the owner to the end of the queue.
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue);
      free -= 1;
      const { tasks, size } = runningOf(owner);
      running.set(owner, { tasks: tasks + 1, size: size + next.size });
      next.start();
    }
  };
  /** Resolves when the task may run. */
  const start = (turn: FairTurn): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = waiting.get(turn.owner) ?? [];
    waiting.set(turn.owner, queue);
    queue.push({ ...turn, start: resolve });
    startNext();
    return promise;
  };
  /** Resolves when the task may continue: after all other owners, and before other tasks of its own. */
  const resume = (turn: FairTurn): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = waiting.get(turn.owner) ?? [];
    waiting.delete(turn.owner);
    waiting.set(turn.owner, [{ ...turn, start: resolve }, ...queue]);
    return promise;
  };
  const end = ({ owner, size, resource }: FairTurn) => {
    free += 1;
    resource?.release();
    const { tasks, size: held } = runningOf(owner);
    if (tasks > 1) running.set(owner, { tasks: tasks - 1, size: held - size });
    else running.delete(owner);
    startNext();
  };
  return async (turn, task) => {
    const queue = waiting.get(turn.owner);
    if (limits.waiting && queue && queue.length >= limits.waiting.max) throw limits.waiting.full();
    await start(turn);
    let hasTurn = true;
    let isOver = false;
    const endTurn = () => {
      if (hasTurn) end(turn);
      hasTurn = false;
    };
    const passTurn = async () => {
      const resumed = resume(turn);
      endTurn();
      await resumed;
      hasTurn = true;
      // The task may have failed while it waited.
      if (isOver) endTurn();
    };
    try {
      return await task(passTurn);
    } finally {
      isOver = true;
      endTurn();
    }
  };
}
