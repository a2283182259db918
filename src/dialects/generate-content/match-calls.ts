/** Matches results to function calls: Gemini often sends no ids, so they are matched by name and order. */

export interface CallMatcher {
  /** Returns the id of a call; a stable one if it has none. */
  addCall: (name: string, id: string | undefined) => string;
  /** Returns the id of the call that a result belongs to; undefined if there is none. */
  takeCall: (name: string, id: string | undefined) => string | undefined;
}

/** Every operation takes constant time: a request may have hundreds of thousands of calls. */
export function createCallMatcher(): CallMatcher {
  /** Ids of calls without a result. */
  const open = new Set<string>();
  /** Ids of calls by name, in order. */
  const queues = new Map<string, { ids: string[]; next: number }>();
  let count = 0;

  function findNext(name: string): string | undefined {
    const queue = queues.get(name);
    if (!queue) return undefined;
    while (queue.next < queue.ids.length && !open.has(queue.ids[queue.next] ?? "")) queue.next += 1;
    return queue.ids[queue.next];
  }

  return {
    addCall(name, id = `call_${count}`) {
      count += 1;
      open.add(id);
      const queue = queues.get(name);
      if (queue) queue.ids.push(id);
      else queues.set(name, { ids: [id], next: 0 });
      return id;
    },
    takeCall(name, id = findNext(name)) {
      return id !== undefined && open.delete(id) ? id : undefined;
    },
  };
}
