/** Builds the document of a policy version: the policy and the detectors it uses. */
import { AppError } from "../contract/errors.ts";
import type { PolicyDocument, PolicyInput } from "../contract/guard/policies.ts";
import type { Db } from "../db/db.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { validatePolicy } from "../policy/validate-policy.ts";

/** Secrets in the settings of detectors stay encrypted. Throws for an invalid policy. */
export async function buildPolicyDocument(db: Db, policy: PolicyInput): Promise<PolicyDocument> {
  const rows = await detectorTable.all(db);
  const kinds = new Map(rows.map(({ id, kind }) => [id, kind]));
  const problem = validatePolicy(policy, (id) => kinds.get(id));
  if (problem) throw new AppError("validation_failed", problem);
  const used = rows.filter(({ id }) => usesDetector(policy, id));
  const detectors = used.map(({ id, name, kind, settings }) => [id, { name, kind, settings }]);
  return { ...toPolicyInput(policy), detectors: Object.fromEntries(detectors) };
}

/** Removes the members that only a stored row has. */
export function toPolicyInput(policy: PolicyInput): PolicyInput {
  const { name, mode, gates, input_rules, output_rules } = policy;
  return { name, mode, gates, input_rules, output_rules };
}

export const usesDetector = (policy: PolicyInput, detector_id: string): boolean =>
  [...policy.input_rules, ...policy.output_rules].some((rule) => rule.detector_id === detector_id);
