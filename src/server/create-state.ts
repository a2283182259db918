/** Creates the state that features keep between requests, once for each program. */

import { createLiveState } from "../dataplane/live-state.ts";
import type { Deps } from "../deps.ts";
import { createApprovalWait } from "../evaluate/approvals/wait-for-approval.ts";
import { createWorkerPool } from "../evaluate/worker/worker-pool.ts";
import { createByteBudget } from "../lib/concurrency/byte-budget.ts";
import { createFairTurns } from "../lib/concurrency/fair-turns.ts";
import { createJwksCache } from "../mcp-store/principals/jwks-cache.ts";
import { createIdempotencyState } from "../run-once.ts";
import { createAdminBudget } from "./http/read-counted-body.ts";
import { createSessionSamplers } from "./http/record-session.ts";
import { watchTopics } from "./watch-topics.ts";

export type State = Pick<
  Deps,
  | "heldBytes"
  | "adminBytes"
  | "idempotency"
  | "live"
  | "workers"
  | "turns"
  | "jwks"
  | "topics"
  | "waitForApproval"
  | "sampleFailedSignIn"
  | "sampleSession"
  | "allowSession"
>;

export const createState = (deps: Pick<Deps, "settings" | "db" | "log">): State => ({
  heldBytes: createByteBudget(deps.settings.IN_FLIGHT_MIB * 1024 * 1024),
  adminBytes: createAdminBudget(deps.settings),
  idempotency: createIdempotencyState(),
  live: createLiveState(deps),
  workers: createWorkerPool(),
  turns: createFairTurns(),
  jwks: createJwksCache(),
  topics: watchTopics(deps.db, deps.log),
  waitForApproval: createApprovalWait(deps),
  ...createSessionSamplers(),
});
