/** Describes the findings behind a verdict for people, by type and rule; never the matched text. */
import type { Verdict } from "../contract/guard/evaluate.ts";
import { findApprovalId } from "../policy/find-approval-id.ts";

type Described = Pick<Verdict, "status" | "findings">;

export const describeFindings = ({ status, findings }: Described): string =>
  findings
    .filter(({ outcome }) => outcome.action === status)
    .map(({ signal, source }) => `${signal.type} (${source.gate_name ?? source.detector_name})`)
    .join(", ");

/** Explains a verdict `ask` where only an administrator can approve. */
export function describeApproval(verdict: Described): string {
  const id = findApprovalId(verdict.findings);
  const text = `Requires approval by an administrator: ${describeFindings(verdict)}.`;
  return id ? `${text} Approval ${id}.` : `${text} The approval could not be requested. Try again.`;
}
