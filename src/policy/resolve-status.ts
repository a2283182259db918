/** Returns the most restrictive action among the findings, or `allow`. */
import { type Action, STATUSES, type Status } from "../contract/guard/actions.ts";
import type { Finding } from "../contract/guard/evaluate.ts";

const toStatus = (action: Action): Status => (action === "withhold" ? "transform" : action);

export function resolveStatus(findings: readonly Finding[]): Status {
  const statuses = findings.map(({ outcome: { action } }) => toStatus(action));
  return STATUSES.find((status) => statuses.includes(status)) ?? "allow";
}
