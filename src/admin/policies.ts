/** Operations on policies. Every save creates a version, which also validates the policy. */
import { AppError } from "../contract/errors.ts";
import {
  listPolicyUses,
  type Policy,
  type PolicyInput,
  policies,
} from "../contract/guard/policies.ts";
import { collectorTable, overrideTable } from "../db/tables/collectors.ts";
import { policyTable } from "../db/tables/policies.ts";
import type { Deps } from "../deps.ts";
import { type Route, route } from "../route.ts";
import { findPolicy, policyVersionRoutes, saveVersion } from "./policy-versions.ts";
import { type ResourceDefinition, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<Policy, PolicyInput, Policy> = {
  table: policyTable,
  id: "policy_id",
  scopeOf: () => ({}),
  toReply: (_, row) => row,
  toColumns: (_, input) => input,
  async checkRemovable(deps, { id }) {
    const { collectors, overrides } = await findUses(deps, id);
    if (collectors.length + overrides.length === 0) return;
    const names = collectors.map(({ name }) => `"${name}"`);
    const users = [...names, ...(overrides.length ? [`${overrides.length} overrides`] : [])];
    throw new AppError(
      "has_dependents",
      `This policy is used by ${users.join(", ")}. Assign another policy first.`,
    );
  },
};

export const policyRoutes: Route[] = [
  ...resourceRoutes(policies, definition).map(({ endpoint, handle }): Route => {
    if (endpoint !== policies.create && endpoint !== policies.update) return { endpoint, handle };
    return {
      endpoint,
      async handle(deps, call) {
        // Create and update return the policy.
        const policy = (await handle(deps, call)) as Policy;
        await saveVersion(deps, policy, { reason: "Saved.", actor: call.actor.name });
        return policy;
      },
    };
  }),
  route(listPolicyUses, async (deps, { params: { policy_id } }) => {
    await findPolicy(deps, policy_id);
    const { collectors, overrides } = await findUses(deps, policy_id);
    const names = new Map((await collectorTable.all(deps.db)).map(({ id, name }) => [id, name]));
    return {
      items: [
        ...collectors.map(({ id, name, default_policy_version }) => ({
          collector_id: id,
          collector_name: name,
          consumer_id: null,
          version: default_policy_version,
        })),
        ...overrides.map(({ collector_id, consumer_id, policy_version }) => ({
          collector_id,
          // Deleting a collector deletes its overrides.
          collector_name: names.get(collector_id) ?? "",
          consumer_id,
          version: policy_version,
        })),
      ],
    };
  }),
  ...policyVersionRoutes,
];

const findUses = async (deps: Deps, id: string) => ({
  collectors: await collectorTable.all(deps.db, { default_policy_id: id }),
  overrides: await overrideTable.all(deps.db, { policy_id: id }),
});
