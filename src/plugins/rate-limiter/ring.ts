/**
 * How many requests of a subject lie inside its window? The window is cut into 64 parts and a ring of
 * 65 cells counts the requests of each. A cell counts until its youngest possible request is out of
 * the window: so never more than the limit is admitted, and a slot frees at most window/64 late.
 */

export const PARTS = 64;
const CELLS = PARTS + 1;

export interface Ring {
  /** The newest part, as a number of parts since the clock's zero. */
  head: number;
  /** How many requests it holds. They move to its cell when a newer part comes. */
  fresh: number;
  /** The oldest part that holds a request, when there is one. */
  oldest: number;
  /** All that are counted. */
  total: number;
  /** Part p is counted in cell p modulo 65. Made when a second part comes: most subjects have one. */
  cells: Uint8Array | Uint32Array | undefined;
}

/** A part of a window of one second is 1,000/64 = 125/8 ms: nothing is rounded. */
export const partAt = (nowMs: number, windowS: number): number =>
  Math.floor((nowMs * 8) / (125 * windowS));

/** When a part begins, on the same clock. */
export const partStart = (part: number, windowS: number): number => (part * 125 * windowS) / 8;

export const newRing = (part: number): Ring => ({
  head: part,
  fresh: 0,
  oldest: part,
  total: 0,
  cells: undefined,
});

export const copyRing = (ring: Ring): Ring => ({ ...ring, cells: ring.cells?.slice() });

/** Takes out what has left the window. The clock must not run backwards. */
export function advance(ring: Ring, part: number): void {
  const passed = part - ring.head;
  if (passed <= 0) return;
  if (passed >= CELLS) {
    ring.cells?.fill(0);
    ring.total = 0;
  } else if (ring.fresh > 0) {
    put(ring, ring.head, ring.fresh);
  }
  ring.fresh = 0;
  ring.head = part;
  while (ring.total > 0 && (ring.oldest < part - PARTS || at(ring, ring.oldest) === 0)) {
    ring.total -= at(ring, ring.oldest);
    put(ring, ring.oldest, 0);
    ring.oldest += 1;
  }
}

/** Counts requests in the part that `advance` led to. */
export function charge(ring: Ring, count: number): void {
  ring.fresh += count;
  if (ring.total === 0) ring.oldest = ring.head;
  ring.total += count;
}

/** The part in which the next slot frees that can be taken again; after `advance`, and not when empty. */
export function freesAt(ring: Ring, limit: number): number {
  // Over the limit only after the limit was lowered: then as many must go first.
  let over = Math.max(0, ring.total - limit);
  let part = ring.oldest;
  for (; at(ring, part) <= over; part++) over -= at(ring, part);
  return part + CELLS;
}

/** Yields the parts that hold requests, and how many. */
export function* partsOf(ring: Ring): Generator<{ part: number; count: number }> {
  for (let part = ring.oldest; part <= ring.head; part++) {
    const count = ring.total > 0 ? at(ring, part) : 0;
    if (count > 0) yield { part, count };
  }
}

/** Nothing it ever counted can still be in the window. */
export const isIdle = (ring: Ring, part: number): boolean =>
  ring.total === 0 || part - ring.head >= CELLS;

const at = ({ head, fresh, cells }: Ring, part: number): number =>
  part === head ? fresh : (cells?.[part % CELLS] ?? 0);

function put(ring: Ring, part: number, count: number): void {
  ring.cells ??= new Uint8Array(CELLS);
  // Few subjects send more than 255 requests within a 64th of their window: the others stay small.
  if (count > 255 && ring.cells instanceof Uint8Array) ring.cells = Uint32Array.from(ring.cells);
  ring.cells[part % CELLS] = count;
}
