/** Returns the most restrictive action among the findings, or `allow`. */
import { type Finding, STATUSES, type Status } from "../contract/guard/evaluate.ts";

export function resolveStatus(findings: readonly Finding[]): Status {
  return (
    STATUSES.find((status) => findings.some(({ outcome }) => outcome.action === status)) ?? "allow"
  );
}
