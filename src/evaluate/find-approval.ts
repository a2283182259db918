/** Finds out whether an administrator has approved exactly this request. */
import type { Direction } from "../contract/evaluate.ts";
import type { CompiledPolicy } from "../policy/compile-policy.ts";
import type { ApprovalState } from "../policy/create-finding.ts";
import { approvalFingerprint } from "./approval-fingerprint.ts";
import type { CheckedEvaluation, OpenedEvaluation } from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** Matches the id in `attributes.approval_id`; in `implicit` mode the content alone is enough. */
export async function findApproval(
  host: EvaluationHost,
  opened: OpenedEvaluation,
): Promise<CheckedEvaluation> {
  const { request, program, direction, approval_mode } = opened;
  const withApproval = (approval: ApprovalState) => Object.assign(opened, { approval });
  if (approval_mode === "waived") return withApproval("waived");
  const id = request.attributes?.approval_id;
  const isPresented = typeof id === "string";
  const isPossible = isPresented || (approval_mode === "implicit" && canAsk(program, direction));
  if (!program || !isPossible) return withApproval("none");
  const collector_id = opened.collector.id;
  const fingerprint = approvalFingerprint(program, opened);
  const rows = await host.findApproved({ collector_id, fingerprint });
  const now = host.now().toISOString();
  const isGranted = rows.some((row) => row.expires_at > now && (!isPresented || row.id === id));
  return withApproval(isGranted ? "granted" : "none");
}

const canAsk = (program: CompiledPolicy | undefined, direction: Direction): boolean =>
  program !== undefined &&
  [...program.gates, ...program.rules[direction]].some(({ action }) => action === "ask");
