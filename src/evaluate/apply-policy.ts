/** Runs the policy over the texts of an evaluation, and stores the pseudonyms that it created. */
import type { CompiledPolicy } from "../policy/compile-policy.ts";
import type { ApprovalState } from "../policy/create-finding.ts";
import { splitByAuthor } from "../policy/payload/client-wrappers.ts";
import { readSystemPrompt } from "../policy/payload/system-prompt.ts";
import type { PolicyOutcome } from "../policy/policy-run.ts";
import { runPolicy } from "../policy/run-policy.ts";
import { createDetectorServices } from "./create-detector-services.ts";
import { createFacts } from "./create-facts.ts";
import { createExemptionCheck } from "./match-fingerprint.ts";
import { createSessionPseudonyms } from "./session-pseudonyms.ts";
import { createRiskCounter } from "./session-risk.ts";
import type { DecidedEvaluation, OpenedEvaluation } from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";
import { describeCause } from "./worker/messages.ts";

/** PolicyOutcome when no policy applies; the verdict shows it by `policy: null`. */
export const NO_POLICY: PolicyOutcome = {
  status: "allow",
  findings: [],
  matches: [],
  changes: [],
  hidden: [],
  detectors: { run: 0, skipped: 0, failed: [], uninspected: [] },
  scores: undefined,
};

export async function applyPolicy(
  host: EvaluationHost,
  evaluation: OpenedEvaluation,
  approval: ApprovalState,
): Promise<DecidedEvaluation> {
  const { program, collector, keyring, disabled, exemptions, opened } = evaluation;
  const { direction, protocol, session_id, payload, size } = evaluation;
  const decided = evaluation as DecidedEvaluation;
  if (!program) {
    decided.outcome = NO_POLICY;
    return decided;
  }
  const pseudonyms = createSessionPseudonyms(host, keyring, {
    collector_id: collector.id,
    scopes: evaluation.origin.pseudonym_scopes ?? [session_id],
  });
  decided.outcome = await runPolicy(program, {
    direction,
    parts: splitByAuthor(payload.segments, evaluation.origin.user_agent),
    segments: opened.segments.length ? [...payload.segments, ...opened.segments] : payload.segments,
    facts: createFacts(evaluation),
    context: {
      direction,
      protocol,
      calls: payload.calls,
      definitions: payload.definitions,
      attachments: opened.attachments,
      uninspected: [...payload.uninspected, ...opened.uninspected],
      payload_bytes: size,
      system_prompt: findSystemPrompt(evaluation, program),
      waitForTurn: host.waitForTurn,
      services: createDetectorServices(
        host,
        pseudonyms.restore,
        createRiskCounter(host, evaluation),
      ),
    },
    disabled,
    approval,
    fail_mode: collector.fail_mode,
    createPseudonym: pseudonyms.pseudonymFor,
    waitForTurn: host.waitForTurn,
    isPartOfLargeBody: host.worker !== undefined,
    logFailure: (failure, cause) => void host.logFailure(failure, describeCause(cause)),
    isExempt: createExemptionCheck(exemptions, { keyring, now: host.now }),
  });
  if (decided.outcome.changes.length > 0) await pseudonyms.save();
  return decided;
}

function findSystemPrompt(
  { direction, payload, system_prompt }: OpenedEvaluation,
  { rules }: CompiledPolicy,
): readonly string[] {
  if (system_prompt) return system_prompt;
  const isCompared = rules[direction].some(({ comparesSystemPrompt }) => comparesSystemPrompt);
  return isCompared ? readSystemPrompt(payload.segments) : [];
}
