/** Wire shapes of Store access: who may install what, and why (spec 4.1). */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { resource } from "./resource.ts";
import { Id, storedMembers, Text } from "./shapes.ts";

/** From nothing to all: the order in which they rank. */
export const ACCESS_LEVELS = ["none", "request", "install"] as const;
export const AccessLevel = z
  .enum(ACCESS_LEVELS)
  .describe("`none` refuses, `request` asks an approver, `install` installs at once.");
export type AccessLevel = z.infer<typeof AccessLevel>;

export const PrincipalSub = Text.trim()
  .min(1)
  .max(512)
  .describe("The principal: the stable subject that the identity provider gives a user.");
export const Group = Text.trim().min(1).max(255);
export const Groups = z.array(Group).max(1000);

export const AccessRuleInput = z.strictObject({
  subject_type: z.enum(["user", "group", "everyone"]),
  subject: Text.trim()
    .min(1)
    .max(512)
    .default("*")
    .describe("The `principal_sub`, or the group. `*` for everyone."),
  target_type: z.enum(["code", "category", "all"]),
  target: Text.trim()
    .min(1)
    .max(200)
    .default("*")
    .describe("The code of a server, or a category. `*` for all."),
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
  decided_by: AccessRule.nullable().describe("null: no rule matched, the gateway's default holds."),
  matched: z
    .array(AccessRule)
    .describe(
      "Every rule that speaks of this principal and this server; the first ones weigh most.",
    ),
  default_level: AccessLevel,
  groups: Groups.describe("The groups that counted."),
});
export type AccessExplained = z.infer<typeof AccessExplained>;

export const explainAccess = endpoint({
  name: "explain_access",
  method: "POST",
  path: "/v1/gateways/:gateway_id/store/access-rules/explain",
  auth: "read",
  summary: "Say which level a principal has for a Store server, and which rule decides it",
  body: z.strictObject({
    principal_sub: PrincipalSub,
    groups: Groups.optional().describe("Left out: those last seen."),
    code: Text.trim().min(1).max(200),
  }),
  reply: AccessExplained,
  writes: false,
});
