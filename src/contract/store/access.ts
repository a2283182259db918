/** Wire shapes of Store access: rules that decide which servers a principal may install. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { resource } from "../resource.ts";
import { Id, storedMembers, Text } from "../shapes.ts";

/** From the lowest to the highest. */
export const ACCESS_LEVELS = ["none", "request", "install"] as const;
export const AccessLevel = z
  .enum(ACCESS_LEVELS)
  .describe("`none`: not allowed. `request`: an approver decides. `install`: allowed immediately.");
export type AccessLevel = z.infer<typeof AccessLevel>;

export const PrincipalSub = Text.trim()
  .min(1)
  .max(512)
  .describe("Principal: the stable subject of a user at the identity provider.");
export const Group = Text.trim().min(1).max(255);
export const Groups = z.array(Group).max(1000);

export const AccessRuleInput = z.strictObject({
  subject_type: z.enum(["user", "group", "everyone"]).describe("Kind of `subject`."),
  subject: Text.trim()
    .min(1)
    .max(512)
    .default("*")
    .describe("`principal_sub` of a user, or name of a group. `*` for everyone."),
  target_type: z.enum(["code", "category", "all"]).describe("Kind of `target`."),
  target: Text.trim()
    .min(1)
    .max(200)
    .default("*")
    .describe("Code of a server, or name of a category. `*` for all."),
  level: AccessLevel,
});
export type AccessRuleInput = z.infer<typeof AccessRuleInput>;

export const AccessRule = z.object({ ...AccessRuleInput.shape, gateway_id: Id, ...storedMembers });
export type AccessRule = z.infer<typeof AccessRule>;

export const accessRules = resource({
  noun: "access_rule",
  plural: "access_rules",
  path: "/v1/gateways/:gateway_id/store/access-rules",
  id: "access_rule_id",
  input: AccessRuleInput,
  reply: AccessRule,
});

export const AccessExplained = z.object({
  level: AccessLevel,
  decided_by: AccessRule.nullable().describe(
    "Rule that decides. null: no rule matches, so the gateway's default applies.",
  ),
  matched: z
    .array(AccessRule)
    .describe("All rules that match the principal and the server, in order of precedence."),
  default_level: AccessLevel,
  groups: Groups.describe("Groups that were used."),
});
export type AccessExplained = z.infer<typeof AccessExplained>;

export const explainAccess = endpoint({
  name: "explain_access",
  method: "POST",
  path: "/v1/gateways/:gateway_id/store/access-rules/explain",
  auth: "read",
  summary: "Explain the access level of a principal for a Store server",
  body: z.strictObject({
    principal_sub: PrincipalSub,
    groups: Groups.optional().describe("Groups of the principal. Left out: the last known groups."),
    code: Text.trim().min(1).max(200),
  }),
  reply: AccessExplained,
  writes: false,
});
