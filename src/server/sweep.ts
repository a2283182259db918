/** Deletes expired rows of all tables, then measures the tables and returns free space. */

import { analyzeTables } from "../db/analyze-tables.ts";
import { reclaimSpace } from "../db/reclaim-space.ts";
import { deleteExpiredApprovals, expireApprovals } from "../db/tables/approvals.ts";
import { collectorTable } from "../db/tables/collectors.ts";
import { deleteExpiredSessions } from "../db/tables/ended-sessions.ts";
import { deleteEvaluations } from "../db/tables/evaluation-events.ts";
import { deleteExpiredReplies, trimAllReplies } from "../db/tables/idempotent-replies.ts";
import { deleteExpiredFlows } from "../db/tables/oauth-flows.ts";
import { deleteRetiredRegistrations } from "../db/tables/oauth-registrations.ts";
import { deleteExpiredOwners } from "../db/tables/owned-files.ts";
import { deleteExpiredPseudonyms } from "../db/tables/pseudonyms.ts";
import { deleteRequestEvents } from "../db/tables/request-events.ts";
import { deleteExpiredSessionRisks } from "../db/tables/session-risks.ts";
import { deleteTrafficCounts } from "../db/tables/traffic-counts.ts";
import type { Deps } from "../deps.ts";
import { expireRequests } from "../mcp-store/requests/save-request.ts";

const DAY_MS = 86_400_000;
/** Clients retry within minutes. */
const IDEMPOTENT_REPLY_DAYS = 1;
/** A sign-in that has begun ends within minutes. */
const RETIRED_CLIENT_DAYS = 1;

/** Soon, for nodes that restart every few minutes; not at once, while the node is starting. */
const FIRST_SWEEP_MS = 5_000;
const SWEEP_EVERY_MS = 3_600_000;

/** Sweeps 5 s after the call, then every hour. */
export function startSweeping(deps: Deps): { stop: () => void } {
  let stopped = false;
  const log: Deps["log"] = (...line) => stopped || deps.log(...line); // the database may be closed
  let timer: Timer;
  const next = (ms: number) => {
    timer = setTimeout(async () => {
      await sweep({ ...deps, log });
      if (!stopped) next(SWEEP_EVERY_MS);
    }, ms);
  };
  next(FIRST_SWEEP_MS);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

export async function sweep(deps: Deps): Promise<void> {
  const { db, settings, log, now } = deps;
  const daysAgo = (days: number) => new Date(now().getTime() - days * DAY_MS);
  try {
    await deleteExpiredReplies(db, daysAgo(IDEMPOTENT_REPLY_DAYS));
    await trimAllReplies(db);
    await deleteRequestEvents(db, daysAgo(settings.EVENT_RETENTION_DAYS));
    await deleteTrafficCounts(db, Math.floor(now().getTime() / 1000));
    await expireApprovals(db, now());
    await deleteExpiredPseudonyms(db, now());
    await deleteExpiredSessionRisks(db, now());
    await deleteExpiredSessions(db, now());
    await deleteExpiredOwners(db, now());
    await deleteExpiredFlows(db, now().toISOString());
    await deleteRetiredRegistrations(db, daysAgo(RETIRED_CLIENT_DAYS));
    for (const { id, retention_days } of await collectorTable.all(db)) {
      const before = daysAgo(retention_days);
      await deleteEvaluations(db, { collector_id: id, before });
      await deleteExpiredApprovals(db, id, before);
    }
    // Events of deleted collectors have no retention of their own.
    await deleteEvaluations(db, {
      collector_id: null,
      before: daysAgo(settings.EVENT_RETENTION_DAYS),
    });
    await expireRequests(deps);
    await analyzeTables(db);
    await reclaimSpace(db);
  } catch (thrown) {
    log("sweep_failed", { level: "warn", error: thrown });
  }
}
