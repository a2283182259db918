/** The migrations in the order they run. */
import { foundation } from "./0001-foundation.ts";
import { requestEvents } from "./0002-request-events.ts";
import { blockedSubjects } from "./0003-blocked-subjects.ts";
import { ownedFiles } from "./0004-owned-files.ts";
import { guard } from "./0005-guard.ts";
import { store } from "./0006-store.ts";
import { gatewayGuard } from "./0007-gateway-guard.ts";
import { storeRevision } from "./0008-store-revision.ts";
import { requestEventsById } from "./0009-request-events-by-id.ts";
import { evaluationTexts } from "./0010-evaluation-texts.ts";
import { approvalContents } from "./0011-approval-contents.ts";
import { endedSessions } from "./0012-ended-sessions.ts";
import { issuerClaims } from "./0013-issuer-claims.ts";
import { oauthServers } from "./0014-oauth-servers.ts";
import { signIns } from "./0015-sign-ins.ts";
import { idempotentReplyOwners } from "./0016-idempotent-reply-owners.ts";
import { consumerCors } from "./0017-consumer-cors.ts";
import { ownSessions } from "./0018-own-sessions.ts";
import { configChangeId } from "./0019-config-change-id.ts";
import { toolsListed } from "./0020-tools-listed.ts";
import { consumerGuard } from "./0021-consumer-guard.ts";
import { scoreBuckets } from "./0022-score-buckets.ts";
import { feedback } from "./0023-feedback.ts";
import { sessionRisks } from "./0024-session-risks.ts";
import { consumerFallbacks } from "./0025-consumer-fallbacks.ts";
import { trafficCounts } from "./0026-traffic-counts.ts";
import { ownerExpiry } from "./0027-owner-expiry.ts";
import { requestErrors } from "./0028-request-errors.ts";
import { policyNotes } from "./0029-policy-notes.ts";
import { auditNames } from "./0030-audit-names.ts";
import { countRollups } from "./0031-count-rollups.ts";
import { requestUsers } from "./0032-request-users.ts";
import { accountResources } from "./0033-account-resources.ts";
import { approvalRequesters } from "./0034-approval-requesters.ts";
import { traceSessions } from "./0035-trace-sessions.ts";
import { tokenOrigins } from "./0036-token-origins.ts";
import { listedIssuers } from "./0037-listed-issuers.ts";
import { requestFilers } from "./0038-request-filers.ts";
import { expiredApprovals } from "./0039-expired-approvals.ts";
import { observeUntil } from "./0040-observe-until.ts";
import { policyExceptions } from "./0041-policy-exceptions.ts";
import type { Migration } from "./migration.ts";

export const migrations: readonly Migration[] = [
  foundation,
  requestEvents,
  blockedSubjects,
  ownedFiles,
  guard,
  store,
  gatewayGuard,
  storeRevision,
  requestEventsById,
  evaluationTexts,
  approvalContents,
  endedSessions,
  issuerClaims,
  oauthServers,
  signIns,
  idempotentReplyOwners,
  consumerCors,
  ownSessions,
  configChangeId,
  toolsListed,
  consumerGuard,
  scoreBuckets,
  feedback,
  sessionRisks,
  consumerFallbacks,
  trafficCounts,
  ownerExpiry,
  requestErrors,
  policyNotes,
  auditNames,
  countRollups,
  requestUsers,
  accountResources,
  approvalRequesters,
  traceSessions,
  tokenOrigins,
  listedIssuers,
  requestFilers,
  expiredApprovals,
  observeUntil,
  policyExceptions,
];
