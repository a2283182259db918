/** Operations on policy versions, which are immutable: list, get, compare, restore. */
import { AppError } from "../contract/errors.ts";
import {
  diffPolicyVersions,
  getPolicyVersion,
  listPolicyVersions,
  type Policy,
  type PolicyDocument,
  policies,
  restorePolicyVersion,
} from "../contract/guard/policies.ts";
import { recordChange } from "../db/record-change.ts";
import { type PolicyVersionRow, policyTable, policyVersionTable } from "../db/tables/policies.ts";
import type { Deps } from "../deps.ts";
import { diffValues } from "../lib/json/diff-values.ts";
import { type Route, route } from "../route.ts";
import { buildPolicyDocument, toPolicyInput } from "../snapshot/build-policy-document.ts";
import { detectorSecrets, maskSecrets } from "./seal-secrets.ts";

export async function saveVersion(
  deps: Deps,
  policy: Policy,
  { reason, note = "", actor }: { reason: string; note?: string; actor: string },
): Promise<void> {
  await policyVersionTable.insert(deps.db, {
    id: deps.newId(),
    policy_id: policy.id,
    number: policy.version,
    document: await buildPolicyDocument(deps.db, policy),
    reason,
    note,
    actor,
    created_at: policy.updated_at,
  });
}

export const policyVersionRoutes: Route[] = [
  route(listPolicyVersions, async (deps, { params: { policy_id }, query }) => {
    await findPolicy(deps, policy_id);
    const page = { ...query, q: undefined, sort: undefined };
    return await policyVersionTable.page(deps.db, { policy_id }, page);
  }),
  route(getPolicyVersion, async (deps, { params }) => {
    const row = await findVersion(deps, params.policy_id, params.number);
    return { ...row, document: toMaskedDocument(deps, row) };
  }),
  route(diffPolicyVersions, async (deps, { params, query }) => {
    const to = await findVersion(deps, params.policy_id, params.number);
    const number = query.from ?? Math.max(1, to.number - 1);
    const from = await findVersion(deps, params.policy_id, String(number));
    const changes = diffValues(toMaskedDocument(deps, from), toMaskedDocument(deps, to));
    return { from: from.number, to: to.number, changes };
  }),
  route(restorePolicyVersion, async (deps, call) => {
    const { policy_id, number } = call.params;
    const before = await findPolicy(deps, policy_id);
    const { document } = await findVersion(deps, policy_id, number);
    const input = toPolicyInput(document);
    const updated_at = deps.now().toISOString();
    const after = { ...before, ...input, version: before.version + 1, updated_at };
    await policyTable.update(deps.db, policy_id, after);
    await saveVersion(deps, after, {
      reason: `Version ${number} was restored.`,
      actor: call.actor.name,
    });
    const change = { resource: policies.noun, verb: "update", id: policy_id } as const;
    await recordChange(deps, call, { ...change, gateway_id: null, before, after });
    return after;
  }),
];

export async function findPolicy(deps: Deps, id: string): Promise<Policy> {
  const policy = await policyTable.lock(deps.db, { id });
  if (!policy) throw new AppError("not_found", `Unknown policy ${id}.`);
  return policy;
}

async function findVersion(deps: Deps, policy_id: string, text: string): Promise<PolicyVersionRow> {
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
  const row = await policyVersionTable.find(deps.db, { policy_id, number });
  if (!row) throw new AppError("not_found", `Unknown version ${text.slice(0, 20)} of this policy.`);
  return row;
}

/** Returns the saved policy with the secrets of detectors masked. */
function toMaskedDocument(deps: Deps, { document }: PolicyVersionRow): PolicyDocument {
  const masked = Object.entries(document.detectors).map(([id, detector]) => {
    const secrets = detectorSecrets(detector.kind, id);
    const settings = maskSecrets(deps.keyring(), secrets, detector.settings);
    return [id, { ...detector, settings }];
  });
  return { ...document, detectors: Object.fromEntries(masked) };
}
