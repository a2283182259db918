/** Waits until approvals are decided, on this node or another one. */
import type { Approval } from "../../contract/guard/approvals.ts";
import { findApprovalStatuses } from "../../db/tables/approvals.ts";
import type { Deps } from "../../deps.ts";
import type { WaitForApproval } from "../../evaluation.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";

/** People decide in seconds at best. */
const POLL_MS = 1000;

type Decide = (status: Approval["status"]) => void;

/** While requests wait, one query per second reads the approvals of all of them. */
export function createApprovalWait({ db, log }: Pick<Deps, "db" | "log">): WaitForApproval {
  const waiting = new Map<string, Set<Decide>>();
  let isPolling = false;

  const poll = async () => {
    if (waiting.size === 0) {
      isPolling = false;
      return;
    }
    try {
      const decided = await findApprovalStatuses(db, [...waiting.keys()]);
      for (const { id, status } of decided) {
        if (status !== "pending") for (const decide of waiting.get(id) ?? []) decide(status);
      }
    } catch (thrown) {
      // The database is unavailable: the next poll tries again until the wait ends.
      log("approval_poll_failed", { level: "warn", error: thrown });
    }
    setTimeout(poll, POLL_MS);
  };

  return async (id, { ms, signal }) => {
    const { promise, resolve } = Promise.withResolvers<Approval["status"]>();
    const decides = waiting.get(id) ?? new Set<Decide>();
    waiting.set(id, decides.add(resolve));
    if (!isPolling) {
      isPolling = true;
      setTimeout(poll, POLL_MS);
    }
    const late = new Error("No decision in time.");
    try {
      return await withTimeout(promise, ms, () => late, signal);
    } catch (thrown) {
      if (thrown !== late) throw thrown;
      return "pending";
    } finally {
      decides.delete(resolve);
      if (decides.size === 0) waiting.delete(id);
    }
  };
}
