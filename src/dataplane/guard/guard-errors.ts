/** Builds the errors of the guard. Messages name finding types and the first place, never the matched text. */
import { AppError } from "../../contract/errors.ts";
import type { Status } from "../../contract/guard/actions.ts";
import type { Finding } from "../../contract/guard/evaluate.ts";
import type { Deps } from "../../deps.ts";
import type { Evaluation } from "../../evaluation.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import { findApprovalId } from "../../policy/find-approval-id.ts";
import type { MatchedRequest } from "../stages.ts";

export function buildBlockError(
  { status, findings, trace_id }: Evaluation["verdict"],
  what: "request" | "response",
): AppError {
  const types = describeFindings(findings, status);
  return new AppError(
    "guard_blocked",
    `The policy blocks this ${what} (${types}). Trace ${trace_id}.`,
  );
}

/** Builds the error of a request that is not approved; the same request passes once it is. */
export function buildAskError(
  { settings }: Pick<Deps, "settings">,
  { request }: Pick<MatchedRequest, "request">,
  { findings, trace_id }: Evaluation["verdict"],
  decision: "pending" | "denied",
): AppError {
  const approval_id = findApprovalId(findings);
  if (approval_id === undefined) {
    const text = "The request needs an approval, which cannot be stored now. Try again later.";
    return new AppError("guard_unavailable", text);
  }
  const origin = settings.PUBLIC_URL ?? parseRequestUrl(request).origin;
  const approval_url = `${origin}/console/approvals?open=${approval_id}`;
  const types = describeFindings(findings, "ask");
  const text =
    decision === "denied"
      ? `Approval ${approval_id} of this request was denied (${types}). Trace ${trace_id}.`
      : `This request needs approval ${approval_id} (${types}): ${approval_url}. Repeat the same request once it is approved. Trace ${trace_id}.`;
  return new AppError("guard_blocked", text, { details: { approval_id, approval_url } });
}

/** Builds the error of a stream that cannot be evaluated; `problem` names no text of the upstream. */
export const buildUnreadableError = (problem: string): AppError =>
  new AppError("upstream_failed", `The stream cannot be evaluated: ${problem}.`);

/** A step that is not the name of a member or an index, but text. */
const TEXT_STEP = /\/(?![\w$.~-]{1,64}(?:\/|$)).*/s;

/** Returns the types of the findings with this action, and the place of the first. */
function describeFindings(findings: readonly Finding[], action: Status): string {
  const acting = findings.filter(({ outcome }) => outcome.action === action);
  const [first, ...others] = new Set(acting.map(({ signal }) => signal.type));
  // Written by createFinding.
  const places = acting[0]?.evidence.places as { pointer?: string }[] | undefined;
  const pointer = places?.[0]?.pointer?.replace(TEXT_STEP, "/…");
  return [pointer ? `${first} at ${pointer}` : first, ...others].join(", ");
}
