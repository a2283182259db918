/** Returns the id of the approval that a verdict requires; undefined if none is stored. */
import type { Finding } from "../contract/guard/evaluate.ts";

export function findApprovalId(findings: readonly Finding[]): string | undefined {
  const [id] = findings.flatMap(({ evidence }) =>
    typeof evidence.approval_id === "string" ? [evidence.approval_id] : [],
  );
  return id;
}
