/** Limits the streams of changes that one caller may open, so that other callers can open some too. */
import { overloaded } from "../../reserve-bytes.ts";

/** A quarter of what the SDK opens for all callers together. */
const MAX_PER_CALLER = 256;

/** Returns a function that counts a stream of a caller, and returns the function that ends it. Throws 429. */
export function createListenerCount(): (caller: string) => () => void {
  const open = new Map<string, number>();
  const add = (caller: string, change: 1 | -1) => {
    const count = (open.get(caller) ?? 0) + change;
    if (count > 0) open.set(caller, count);
    else open.delete(caller);
  };
  return (caller) => {
    if ((open.get(caller) ?? 0) >= MAX_PER_CALLER) throw overloaded();
    add(caller, 1);
    return () => add(caller, -1);
  };
}
