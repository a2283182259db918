/** Policies: every save leaves a version behind, and is checked by making one. */
import { AppError } from "../contract/errors.ts";
import { type Policy, type PolicyInput, policies } from "../contract/policies.ts";
import { collectorTable, overrideTable } from "../db/collectors.ts";
import { policyTable } from "../db/policies.ts";
import type { Route } from "../route.ts";
import { policyVersionRoutes, saveVersion } from "./policy-versions.ts";
import { resourceRoutes, type Stores } from "./resource-routes.ts";

const stores: Stores<Policy, PolicyInput, Policy> = {
  table: policyTable,
  id: "policy_id",
  scope: () => ({}),
  read: (_, row) => row,
  async save(deps, input, row, before) {
    const next = { ...row, ...input };
    if (before) await policyTable.update(deps.db, row.id, next);
    else await policyTable.insert(deps.db, next);
  },
  async mayRemove(deps, { id }) {
    const collectors = await collectorTable.all(deps.db, { default_policy_id: id });
    const overrides = await overrideTable.all(deps.db, { policy_id: id });
    if (collectors.length + overrides.length === 0) return;
    const names = collectors.map(({ name }) => `"${name}"`);
    const whose = [...names, ...(overrides.length ? [`${overrides.length} overrides`] : [])];
    throw new AppError("has_dependents", `This policy still judges for ${whose.join(", ")}.`);
  },
};

export const policyRoutes: Route[] = [
  ...resourceRoutes(policies, stores).map(({ endpoint, answer }): Route => {
    if (endpoint !== policies.create && endpoint !== policies.update) return { endpoint, answer };
    return {
      endpoint,
      async answer(deps, call) {
        // What a create or update of this resource answers.
        const policy = (await answer(deps, call)) as Policy;
        await saveVersion(deps, policy, { reason: "Saved.", actor: call.actor.name });
        return policy;
      },
    };
  }),
  ...policyVersionRoutes,
];
