/** Finds out whether an administrator has approved exactly this request. */

import type { DecidedEvaluation } from "../stages.ts";
import type { EvaluationHost } from "../worker/evaluation-host.ts";
import { approvalFingerprint } from "./approval-fingerprint.ts";

/**
 * Matches the id in `attributes.approval_id`; in `implicit` mode the content alone is enough. Call it only for the
 * verdict `ask`: other requests do not read the database.
 */
export async function findApproval(
  host: EvaluationHost,
  applied: DecidedEvaluation,
): Promise<boolean> {
  const { request, program, collector, approval_mode } = applied;
  const id = request.attributes?.approval_id;
  const isPresented = typeof id === "string";
  if (!program) return false;
  if (!isPresented && approval_mode !== "implicit") return false;
  const fingerprint = approvalFingerprint(program, applied);
  const rows = await host.findApproved({ collector_id: collector.id, fingerprint });
  const now = host.now().toISOString();
  return rows.some((row) => row.expires_at > now && (!isPresented || row.id === id));
}
