/** Access rules of the Store: what a subject and a target may be. */
import { AppError } from "../contract/errors.ts";
import { type AccessRule, type AccessRuleInput, accessRules } from "../contract/store-access.ts";
import { accessRuleTable } from "../db/access-rules.ts";
import type { Route } from "../route.ts";
import { type ResourceDefinition, requireGateway, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<AccessRule, AccessRuleInput, AccessRule> = {
  table: accessRuleTable,
  id: "access_rule_id",
  scopeOf: (params) => ({ gateway_id: params.gateway_id ?? "" }),
  requireParent: requireGateway,
  toReply: (_, row) => row,
  toColumns(_, input) {
    checkName("subject", input.subject_type === "everyone", input.subject);
    checkName("target", input.target_type === "all", input.target);
    return input;
  },
};

export const accessRuleRoutes: Route[] = resourceRoutes(accessRules, definition);

/** `*` means all of them, and nothing else does. */
function checkName(member: "subject" | "target", all: boolean, value: string): void {
  if (all === (value === "*")) return;
  throw new AppError(
    "validation_failed",
    all
      ? `${member}: leave it out, as ${member}_type means all of them`
      : `${member}: say which ${member} the rule is about`,
  );
}
