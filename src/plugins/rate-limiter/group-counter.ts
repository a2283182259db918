/** Counts for all workers of a group, in the memory of their supervisor. */
import { type CheckBatch, writeVerdict } from "./check-batches.ts";
import type { LimitCheck, UsageQuery } from "./counter.ts";
import type { UsageList } from "./counter-link.ts";
import { createMemoryCounter } from "./memory-counter.ts";

/** A call of a worker. `charge` counts requests that it admitted on its own. */
export type CounterCall =
  | ({ name: "batch" } & Pick<CheckBatch, "limits" | "charges" | "subjects">)
  | { name: "charge"; checks: LimitCheck[] }
  | { name: "list"; query: UsageQuery }
  | { name: "forget"; space: string; subject: string };

export type CounterResult = number[] | UsageList | boolean | null;

/** Caps a message of the supervisor at about a megabyte. */
const MAX_LISTED = 10_000;

/** Returns a function that runs one call. */
export function createGroupCounter(elapsedMs: () => number): (call: CounterCall) => CounterResult {
  const memory = createMemoryCounter();
  return (call) => {
    const nowMs = elapsedMs();
    switch (call.name) {
      case "batch": {
        const { limits, charges, subjects } = call;
        const numbers: number[] = [];
        for (const [request, cost] of charges.entries()) {
          const checks = limits.map(({ space, limit, window_s }, at) => {
            const subject = subjects[request * limits.length + at] ?? "";
            return { space, subject, limit, window_s, cost: Math.max(1, cost) };
          });
          writeVerdict(numbers, memory[cost > 0 ? "take" : "check"](checks, nowMs));
        }
        return numbers;
      }
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
