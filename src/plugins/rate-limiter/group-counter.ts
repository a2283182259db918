/** Counts for all workers of a group, in the memory of their supervisor. */
import type { LimitCheck, LimitVerdict, UsageQuery } from "./counter.ts";
import type { UsageList } from "./counter-link.ts";
import { createMemoryCounter } from "./memory-counter.ts";

/** A call of a worker. `charge` counts requests that it admitted on its own. */
export type CounterCall =
  | { name: "take" | "check" | "charge"; checks: LimitCheck[] }
  | { name: "list"; query: UsageQuery }
  | { name: "forget"; space: string; subject: string };

export type CounterResult = LimitVerdict | UsageList | boolean | null;

/** Caps a message of the supervisor at about a megabyte. */
const MAX_LISTED = 10_000;

/** Returns a function that runs one call. */
export function createGroupCounter(elapsedMs: () => number): (call: CounterCall) => CounterResult {
  const memory = createMemoryCounter();
  return (call) => {
    const nowMs = elapsedMs();
    switch (call.name) {
      case "take":
      case "check":
        return memory[call.name](call.checks, nowMs);
      case "charge":
        for (const check of call.checks) memory.charge([check], nowMs);
        return null;
      case "list": {
        const usage = memory.listUsage(call.query.space, call.query.limit, nowMs);
        const items = [...usage.take(MAX_LISTED + 1)];
        return { items: items.slice(0, MAX_LISTED), complete: items.length <= MAX_LISTED };
      }
      case "forget":
        return memory.forget(call.space, call.subject);
    }
  };
}
