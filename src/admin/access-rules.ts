/** Operations on access rules of the Store. */
import { AppError } from "../contract/errors.ts";
import { type AccessRule, type AccessRuleInput, accessRules } from "../contract/store/access.ts";
import { accessRuleTable } from "../db/tables/access-rules.ts";
import type { Route } from "../route.ts";
import { type ResourceDefinition, requireGateway, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<AccessRule, AccessRuleInput, AccessRule> = {
  table: accessRuleTable,
  id: "access_rule_id",
  scopeOf: (params) => ({ gateway_id: params.gateway_id ?? "" }),
  requireParent: requireGateway,
  toReply: (_, row) => row,
  toColumns(_, input) {
    checkWildcard("subject", input.subject_type === "everyone", input.subject);
    checkWildcard("target", input.target_type === "all", input.target);
    return input;
  },
};

export const accessRuleRoutes: Route[] = resourceRoutes(accessRules, definition);

/** Checks that the value is `*` if, and only if, the type means everyone or all servers. */
function checkWildcard(member: "subject" | "target", isWildcard: boolean, value: string): void {
  if (isWildcard === (value === "*")) return;
  throw new AppError(
    "validation_failed",
    isWildcard
      ? `${member}: must be left out for this ${member}_type`
      : `${member}: is required for this ${member}_type`,
  );
}
