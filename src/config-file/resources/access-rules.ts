/** Access rules of a gateway's Store in a configuration file. */
import { AccessRuleInput, accessRules as endpoints } from "../../contract/store/access.ts";
import { accessRuleTable } from "../../db/tables/access-rules.ts";
import { crudResource } from "../crud-resource.ts";
import { accessRuleIdentity } from "../schema.ts";

export const accessRules = crudResource({
  list: "access_rules",
  schema: AccessRuleInput,
  endpoints,
  table: accessRuleTable,
  parent: "gateway_id",
  identity: accessRuleIdentity,
});
