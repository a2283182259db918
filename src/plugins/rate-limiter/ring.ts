/**
 * Counts the requests of a subject inside a sliding window. The window is divided into 64 parts, and a ring of 65 cells
 * counts the requests of each part. A cell counts until its newest possible request is outside the window: the limit is
 * never exceeded, and a slot becomes available at most window/64 late.
 */

export const PARTS = 64;
const CELLS = PARTS + 1;

export interface Ring {
  /** Newest part, as the number of parts since time 0 of the clock. */
  head: number;
  /** Requests of the newest part; moved to its cell when the next part starts. */
  fresh: number;
  /** Oldest part with a request, if any. */
  oldest: number;
  /** Sum of all cells. */
  total: number;
  /** Part p is counted in cell p modulo 65. Allocated with the second part, because most subjects have only one. */
  cells: Uint8Array | Uint32Array | undefined;
}

/** Returns the part of a time. A part of a window of one second is 1,000/64 = 125/8 ms, so nothing is rounded. */
export const partAt = (nowMs: number, windowS: number): number =>
  Math.floor((nowMs * 8) / (125 * windowS));

/** Returns the start of a part, on the same clock. */
export const partStart = (part: number, windowS: number): number => (part * 125 * windowS) / 8;

export const newRing = (part: number): Ring => ({
  head: part,
  fresh: 0,
  oldest: part,
  total: 0,
  cells: undefined,
});

export const copyRing = (ring: Ring): Ring => ({ ...ring, cells: ring.cells?.slice() });

/** Removes the requests that are outside the window. The clock must be monotonic. */
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

/** Counts requests in the newest part; call `advance` first. */
export function charge(ring: Ring, count: number): void {
  ring.fresh += count;
  if (ring.total === 0) ring.oldest = ring.head;
  ring.total += count;
}

/** Returns the part in which the next slot becomes available. Call `advance` first; the ring must not be empty. */
export function freesAt(ring: Ring, limit: number): number {
  // Usage exceeds the limit only after the limit was lowered; the excess must expire first.
  let over = Math.max(0, ring.total - limit);
  let part = ring.oldest;
  for (; at(ring, part) <= over; part++) over -= at(ring, part);
  return part + CELLS;
}

/** Yields each part that has requests, with their count. */
export function* partsOf(ring: Ring): Generator<{ part: number; count: number }> {
  for (let part = ring.oldest; part <= ring.head; part++) {
    const count = ring.total > 0 ? at(ring, part) : 0;
    if (count > 0) yield { part, count };
  }
}

/** Returns whether all counted requests are outside the window. */
export const isIdle = (ring: Ring, part: number): boolean =>
  ring.total === 0 || part - ring.head >= CELLS;

const at = ({ head, fresh, cells }: Ring, part: number): number =>
  part === head ? fresh : (cells?.[part % CELLS] ?? 0);

function put(ring: Ring, part: number, count: number): void {
  ring.cells ??= new Uint8Array(CELLS);
  // Few subjects send more than 255 requests per part; the others keep one byte per cell.
  if (count > 255 && ring.cells instanceof Uint8Array) ring.cells = Uint32Array.from(ring.cells);
  ring.cells[part % CELLS] = count;
}
