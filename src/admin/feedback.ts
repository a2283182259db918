/** Operations on feedback: marks findings of recorded evaluations, and manages the exemptions that marks create, and exceptions of passages. */

import { AppError } from "../contract/errors.ts";
import type { ActivityEvent } from "../contract/guard/activity.ts";
import type { Finding } from "../contract/guard/evaluate.ts";
import { type Exception, type ExceptionInput, exceptions } from "../contract/guard/exceptions.ts";
import { listExemptions, removeExemption, setFeedback } from "../contract/guard/feedback.ts";
import { recordChange } from "../db/record-change.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { evaluationEventTable, findEvaluation } from "../db/tables/evaluation-events.ts";
import { exceptionTable } from "../db/tables/exceptions.ts";
import { exemptionTable } from "../db/tables/exemptions.ts";
import { policyTable } from "../db/tables/policies.ts";
import type { Deps } from "../deps.ts";
import { type Route, route } from "../route.ts";
import { checkExpiry } from "./key-state.ts";
import { findPolicy } from "./policy-versions.ts";
import { type ResourceDefinition, resourceRoutes } from "./resource-routes.ts";

/** Of a policy, and as many exceptions: every node keeps those of all policies in memory. */
const MAX_EXEMPTIONS = 1_000;

const exceptionDefinition: ResourceDefinition<Exception, ExceptionInput, Exception> = {
  table: exceptionTable,
  id: "exception_id",
  scopeOf: ({ policy_id = "" }) => ({ policy_id }),
  requireParent: async (deps, { policy_id = "" }) => void (await findPolicy(deps, policy_id)),
  toReply: (_, row) => row,
  async toColumns(deps, input, { id, policy_id = "" }, before, actor) {
    const { passage_sha256, detector_id, expires_at } = input;
    checkExpiry(deps, expires_at);
    if (detector_id !== null && !(await detectorTable.find(deps.db, { id: detector_id }))) {
      throw new AppError("validation_failed", `detector_id: unknown detector ${detector_id}`);
    }
    const all = await exceptionTable.all(deps.db, { policy_id });
    const others = all.filter((other) => other.id !== id);
    const same = others.find(
      (other) => other.passage_sha256 === passage_sha256 && other.detector_id === detector_id,
    );
    if (same) await exceptionTable.remove(deps.db, { id: same.id });
    else if (others.length >= MAX_EXEMPTIONS) {
      const text = `The policy has ${MAX_EXEMPTIONS} exceptions, the maximum. Delete some first.`;
      throw new AppError("conflict", text);
    }
    return { ...input, policy_id, created_by: before?.created_by ?? actor.name };
  },
};

export const feedbackRoutes: Route[] = [
  route(setFeedback, async (deps, call) => {
    const { event_id } = call.params;
    const { finding, mark } = call.body;
    const stored = await findEvaluation(deps.db, event_id);
    if (!stored) throw new AppError("not_found", `Unknown event ${event_id}.`);
    const { event, fingerprints } = stored;
    const marked = finding === null ? undefined : findFinding(event, finding);
    const before = event.feedback.find((other) => other.finding === finding);
    const others = event.feedback.filter((other) => other !== before);
    const actor = call.actor.name;
    const after = mark && { finding, mark, actor, at: deps.now().toISOString() };
    const feedback = after ? [...others, after] : others;
    await evaluationEventTable.update(deps.db, event_id, { feedback });
    const matches = marked && toMatches(marked, fingerprints?.[finding ?? -1] ?? []);
    if (matches) await removeExemptions(deps, matches);
    const exemptions =
      matches && mark === "incorrect" ? await addExemptions(deps, matches, { event_id, actor }) : 0;
    await recordChange(deps, call, {
      resource: "feedback",
      verb: after ? (before ? "update" : "create") : "delete",
      id: event_id,
      gateway_id: event.gateway_id,
      before: before ?? null,
      after: after && { ...after, exemptions },
    });
    return { feedback, exemptions };
  }),
  route(listExemptions, async (deps, { params: { policy_id }, query }) => {
    await findPolicy(deps, policy_id);
    const page = { ...query, q: undefined, sort: undefined };
    return await exemptionTable.page(deps.db, { policy_id }, page);
  }),
  route(removeExemption, async (deps, call) => {
    const { policy_id, exemption_id: id } = call.params;
    const row = await exemptionTable.lock(deps.db, { policy_id, id });
    if (!row) throw new AppError("not_found", `Unknown exemption ${id}.`);
    await exemptionTable.remove(deps.db, { id });
    const { fingerprint: _, ...before } = row;
    const change = { resource: "exemption", verb: "delete", id, gateway_id: null } as const;
    await recordChange(deps, call, { ...change, before, after: null });
    return undefined;
  }),
  ...resourceRoutes(exceptions, exceptionDefinition),
];

function findFinding({ findings }: ActivityEvent, index: number): Finding {
  const finding = findings[index];
  if (finding) return finding;
  throw new AppError(
    "validation_failed",
    `finding: this event has ${findings.length} findings, and positions begin at 0`,
  );
}

/** Matches of a finding, by the policy and the detector that reported them. */
interface MarkedMatches {
  policy_id: string;
  detector_id: string;
  /** Labels by fingerprint. */
  labels: ReadonlyMap<string, string>;
}

/** Returns undefined for a gate, which has conditions of its own. */
function toMatches(
  { source: { policy_id, detector_id }, signal, evidence }: Finding,
  fingerprints: readonly (string | null)[],
): MarkedMatches | undefined {
  if (detector_id === undefined) return undefined;
  // Written by createFinding, in the same order.
  const places = evidence.places as { label: string }[] | undefined;
  const labels = new Map<string, string>();
  for (const [index, fingerprint] of fingerprints.entries()) {
    if (fingerprint !== null) labels.set(fingerprint, places?.[index]?.label ?? signal.type);
  }
  return { policy_id, detector_id, labels };
}

/** A new mark replaces the exemptions of these texts. */
async function removeExemptions({ db }: Deps, matches: MarkedMatches): Promise<void> {
  const { policy_id, detector_id, labels } = matches;
  for (const fingerprint of labels.keys()) {
    await exemptionTable.remove(db, { policy_id, detector_id, fingerprint });
  }
}

/** Returns the number of exempted matches; 0 if the policy or the detector was deleted. */
async function addExemptions(
  { db, newId, now }: Deps,
  { policy_id, detector_id, labels }: MarkedMatches,
  { event_id, actor }: { event_id: string; actor: string },
): Promise<number> {
  const policy = await policyTable.find(db, { id: policy_id });
  const detector = await detectorTable.find(db, { id: detector_id });
  if (!policy || !detector || labels.size === 0) return 0;
  const { length } = await exemptionTable.all(db, { policy_id });
  if (length + labels.size > MAX_EXEMPTIONS) {
    throw new AppError(
      "conflict",
      `The policy "${policy.name}" has ${length} exemptions, and at most ${MAX_EXEMPTIONS} are allowed. Remove some first.`,
    );
  }
  const created_at = now().toISOString();
  const marked = { policy_id, detector_id, event_id, actor, created_at };
  const rows = [...labels].map(([fingerprint, label]) => {
    return { ...marked, id: newId(), fingerprint, label };
  });
  await exemptionTable.insertMany(db, rows);
  return rows.length;
}
