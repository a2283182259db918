/** Replays recorded events against a draft of a policy. Writes nothing and makes no outbound calls. */

import { AppError } from "../contract/errors.ts";
import type { EvaluationEvent, StoredText } from "../contract/guard/activity.ts";
import type { Status } from "../contract/guard/evaluate.ts";
import { type ReplayReport, replayPolicy } from "../contract/guard/replay.ts";
import { sealContextOf } from "../db/sealed-columns.ts";
import { findContent } from "../db/tables/evaluation-events.ts";
import { pageEvaluations } from "../db/tables/find-evaluations.ts";
import type { Deps } from "../deps.ts";
import { unseal } from "../lib/crypto/seal.ts";
import { type CompiledPolicy, compilePolicy, type OpenSecret } from "../policy/compile-policy.ts";
import type { FactLookup } from "../policy/condition.ts";
import type { DetectorServices } from "../policy/detector.ts";
import { readSystemPrompt } from "../policy/payload/system-prompt.ts";
import { runPolicy } from "../policy/run-policy.ts";
import { type Route, route } from "../route.ts";
import { buildPolicyDocument } from "../snapshot/build-policy-document.ts";

import { learnedModels } from "./learned-models.ts";

import { createExemptionCheck } from "./match-fingerprint.ts";
import { restorePayload } from "./select-content.ts";
import { createWindowService } from "./worker/run-in-worker.ts";

export const replayRoute: Route = route(replayPolicy, async (deps, { params, body }) => {
  const { draft, limit, from, to, collector_id } = body;
  const saved = deps.snapshot().policies.get(params.policy_id);
  if (!saved) throw new AppError("not_found", `Unknown policy "${params.policy_id}".`);
  const open: OpenSecret = (sealed, detector_id) =>
    unseal(deps.keyring(), sealContextOf("detectors.settings", detector_id), sealed) ?? "";
  const program = draft
    ? compilePolicy(
        await buildPolicyDocument(deps.db, draft),
        { id: params.policy_id, version: 0 },
        open,
      )
    : saved();
  const filters = { from, to, collector_id };
  const { items } = await pageEvaluations(deps.db, { filters, limit, order: "newest" });
  const report: ReplayReport = { evaluated: 0, skipped: 0, changes: [], transitions: {} };
  for (const event of items) {
    const content = await findContent(deps.db, event.id);
    if (!content) {
      report.skipped += 1;
      continue;
    }
    report.evaluated += 1;
    const after = await replayEvent(deps, program, event, content);
    if (after === event.status) continue;
    const { id, time, direction, status } = event;
    report.changes.push({ event_id: id, time, direction, before: status, after });
    const transition = `${status}→${after}`;
    report.transitions[transition] = (report.transitions[transition] ?? 0) + 1;
    // Yields to other requests: a thousand long texts take seconds.
    await new Promise(setImmediate);
  }
  return report;
});

async function replayEvent(
  deps: Deps,
  program: CompiledPolicy,
  event: EvaluationEvent,
  content: readonly StoredText[],
): Promise<Status> {
  const { direction, protocol } = event;
  const { segments, ...payload } = restorePayload(content);
  const { disabledDetectors, exemptions } = deps.snapshot();
  const { status } = await runPolicy(program, {
    direction,
    segments,
    facts: createEventFacts(event),
    context: {
      direction,
      protocol,
      ...payload,
      attachments: [],
      uninspected: [],
      system_prompt: readSystemPrompt(segments),
      services: { ...NO_SERVICES, scoreWindows: createWindowService(deps, { owner: "replay" }) },
    },
    disabled: disabledDetectors,
    approval: "none",
    fail_mode: "open",
    createPseudonym: (label) => label,
    // A detector that makes a call fails by design.
    logFailure: () => {},
    isExempt: createExemptionCheck(exemptions.get(program.id), deps.keyring),
  });
  return status;
}

function createEventFacts(event: EvaluationEvent): FactLookup {
  const fields: Record<string, unknown> = {
    "consumer.id": event.consumer_id,
    "session.id": event.session_id,
    "collector.id": event.collector_id,
    direction: event.direction,
    protocol: event.protocol,
    "tool.name": event.tool,
    "model.name": event.model,
  };
  return (field) => fields[field] ?? event.attributes[field];
}

const rejectCall = async () => {
  throw new AppError("unavailable", "A replay makes no outbound calls.");
};
const NO_SERVICES: Omit<DetectorServices, "scoreWindows"> = {
  post: rejectCall,
  ask: rejectCall,
  addRisk: () => Promise.resolve(undefined),
  restore: rejectCall,
  ...learnedModels,
};
