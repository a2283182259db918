/** Which finding wins: the most restrictive (spec 3). */
import { type Finding, STATUSES, type Status } from "../contract/evaluate.ts";

export function resolveStatus(findings: readonly Finding[]): Status {
  return (
    STATUSES.find((status) => findings.some(({ outcome }) => outcome.action === status)) ?? "allow"
  );
}
