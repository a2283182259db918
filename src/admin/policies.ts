/** Operations on policies. Every save creates a version, which also validates the policy. */
import { AppError } from "../contract/errors.ts";
import { type Policy, type PolicySave, policies } from "../contract/guard/policies.ts";
import { policyTable } from "../db/tables/policies.ts";
import type { Route } from "../route.ts";
import { toPolicyInput } from "../snapshot/build-policy-document.ts";
import { findUses, policyUsesRoute } from "./policy-uses.ts";
import { policyVersionRoutes, saveVersion } from "./policy-versions.ts";
import { type ResourceDefinition, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<Policy, PolicySave, Policy> = {
  table: policyTable,
  id: "policy_id",
  scopeOf: () => ({}),
  toReply: (_, row) => row,
  toColumns: (_, input) => toPolicyInput(input),
  toRecordedMembers: ({ note }) => (note ? { note } : {}),
  async checkRemovable(deps, { id }) {
    const uses = await findUses(deps, id);
    if (uses.length === 0) return;
    const collectors = uses.filter(({ consumer_id }) => consumer_id === null);
    const names = collectors.map(({ collector_name }) => `"${collector_name}"`);
    const overrides = uses.length - collectors.length;
    const users = [...names, ...(overrides > 0 ? [`${overrides} overrides`] : [])];
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
        const { note = "" } = call.body as Partial<PolicySave>;
        await saveVersion(deps, policy, { reason: "Saved.", note, actor: call.actor.name });
        return policy;
      },
    };
  }),
  policyUsesRoute,
  ...policyVersionRoutes,
];
