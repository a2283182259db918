/** Evaluates the content of a request. Rejects it if the policy blocks it, or if it needs an approval. */
import type { Deps } from "../../deps.ts";
import type { CoveredText, Evaluation } from "../../evaluation.ts";
import { findApprovalId } from "../../policy/find-approval-id.ts";
import type { GuardView } from "../../snapshot/snapshot.ts";
import type { RoutedRequest } from "../stages.ts";
import { listClientHeaders } from "../upstream/build-upstream-request.ts";
import { createGuardContext } from "./create-guard-context.ts";
import { evaluateContent, type GuardedContent, recordUnread } from "./evaluate-content.ts";
import { buildAskError, buildBlockError } from "./guard-errors.ts";
import { setGuardHeader } from "./set-guard-header.ts";

/** Returns the masked JSON text to send instead; null if nothing is masked. */
export async function admitContent(
  deps: Deps,
  routed: RoutedRequest,
  guard: GuardView,
  content: Omit<GuardedContent, "on_ask">,
): Promise<string | null> {
  const { candidates } = routed;
  const context = createGuardContext(deps, routed, guard, { direction: "input", candidates });
  const { on_ask } = guard;
  const covered = [...describeTarget(routed), ...(content.covered ?? [])];
  const evaluate = () => evaluateContent(deps, context, { ...content, on_ask, covered });
  let evaluation = await evaluate();
  if (evaluation?.verdict.status === "ask" && on_ask === "wait") {
    await waitForDecision(deps, routed, guard, evaluation);
    // Again, now with the decision: a gate that asks skips the detectors.
    evaluation = await evaluate();
  }
  return applyVerdict(deps, routed, evaluation);
}

/**
 * Returns what an approval covers beside the body, which has other effects at another endpoint, with the id of another
 * object in the path, in another registry, or with a header that enables a feature of the upstream.
 */
function describeTarget(routed: RoutedRequest): CoveredText[] {
  const { request, endpoint, tail, search, pin, candidates } = routed;
  const path = `${request.method} /${endpoint.version}${tail}${search}`;
  const names = candidates.flatMap(({ registry, capability }) =>
    listClientHeaders(registry.provider, capability),
  );
  // Sorted, so that load balancing does not change the fingerprint.
  const headers = [...new Set(names)].sort().flatMap((name) => {
    const text = request.headers.get(name);
    return text ? [{ pointer: `/request/headers/${name}`, text }] : [];
  });
  return [
    { pointer: "/request/endpoint", text: path },
    ...(pin === undefined ? [] : [{ pointer: "/request/pin", text: pin }]),
    ...headers,
  ];
}

/** Admits content that cannot be read, if the collector is fail-open and no rule blocks it. */
export async function admitUnread(
  deps: Deps,
  routed: RoutedRequest,
  guard: GuardView,
  detail: string,
): Promise<void> {
  const { candidates } = routed;
  const context = createGuardContext(deps, routed, guard, { direction: "input", candidates });
  applyVerdict(deps, routed, await recordUnread(deps, context, detail));
}

function applyVerdict(
  deps: Deps,
  routed: RoutedRequest,
  evaluation: Evaluation | undefined,
): string | null {
  if (!evaluation) return null;
  const { verdict, transformed } = evaluation;
  setGuardHeader(routed.context, verdict.status);
  if (verdict.status === "ask") throw buildAskError(deps, routed, verdict, "pending");
  if (isBlocked(evaluation)) throw buildBlockError(verdict, "request");
  return transformed;
}

/** A transform verdict without a rewritten payload blocks too. */
export const isBlocked = ({ verdict, transformed }: Evaluation): boolean =>
  verdict.status === "block" || (verdict.status === "transform" && transformed === null);

/** Throws if the approval is denied. Returns after `wait_s` without a decision. */
async function waitForDecision(
  deps: Deps,
  routed: RoutedRequest,
  { wait_s }: GuardView,
  { verdict }: Evaluation,
): Promise<void> {
  const approval_id = findApprovalId(verdict.findings);
  if (approval_id === undefined) return;
  const signal = AbortSignal.any([routed.request.signal, deps.responseDeadline]);
  const status = await deps.waitForApproval(approval_id, { ms: wait_s * 1000, signal });
  if (status !== "denied") return;
  setGuardHeader(routed.context, "ask");
  throw buildAskError(deps, routed, verdict, "denied");
}
