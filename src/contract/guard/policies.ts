/** Wire shapes of policies: gates, rules, and the immutable versions that every save creates. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { resource } from "../resource.ts";
import { Id, Name, PageQuery, page, storedMembers, Time } from "../shapes.ts";
import { ACTIONS, ORIGINS } from "./actions.ts";
import { Condition } from "./conditions.ts";
import { DetectorInput } from "./detectors.ts";
import { GuardSettings } from "./guard-settings.ts";

export const MODES = ["observe", "enforce"] as const;
export type Mode = (typeof MODES)[number];
const GATE_ACTIONS = ["block", "ask", "transform", "report", "skip"] as const;

const Mode = z.enum(MODES);
const when = Condition.nullable().default(null).describe("Condition. null: always applies.");
const mode = Mode.nullable()
  .default(null)
  .describe("`observe` only records the action. null: the mode of the policy.");
const enabled = z.boolean().default(true).describe("false: skipped.");

export const Gate = z.strictObject({
  name: Name,
  when,
  action: z
    .enum(GATE_ACTIONS)
    .describe(
      "The most restrictive matching gate applies, regardless of order. After `block` and `ask` no detector runs. `skip` ends the gates without a finding: later gates do not apply, and detectors run.",
    ),
  mask: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .describe("For `transform`: what to mask, as settings of `data_loss_prevention`."),
  mode,
  enabled,
});
export type Gate = z.infer<typeof Gate>;

export const Rule = z.strictObject({
  detector_id: Id,
  action: z
    .enum(ACTIONS)
    .describe(
      "`transform` requires a detector that can mask; `ask` is only for input rules. `withhold` replaces the paragraph around a match in a tool result or document by a notice.",
    ),
  origins: z
    .array(z.enum(ORIGINS))
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Origins of the texts that the rule reads. `assistant`: what a model wrote, tool calls included; `assistant_text`: without them. `document`: attachments, and files in messages. null: all, except for `prompt_guard` and `indirect_prompt_injection`: `user`, `tool_result` and `document`. A `withhold` rule reads only `tool_result` and `document`.",
    ),
  when,
  mode,
  enabled,
});
export type Rule = z.infer<typeof Rule>;

export const PolicyInput = z.strictObject({
  name: Name,
  mode: Mode.default("enforce").describe(
    "`observe`: the status is at most `report`, and nothing is rewritten.",
  ),
  gates: z.array(Gate).max(100).default([]).describe("Evaluated in order, before any detector."),
  input_rules: z
    .array(Rule)
    .max(100)
    .default([])
    .describe("Rules for `direction: input`, in order."),
  output_rules: z
    .array(Rule)
    .max(100)
    .default([])
    .describe("Rules for `direction: output`, in order."),
});
export type PolicyInput = z.infer<typeof PolicyInput>;

export const Policy = z.object({ ...PolicyInput.shape, ...storedMembers });
export type Policy = z.infer<typeof Policy>;

/** A save: the policy, and a note about the version that it creates. */
export const PolicySave = PolicyInput.extend({
  note: z
    .string()
    .trim()
    .max(500)
    .default("")
    .describe("Note about this version, for its history and the audit log."),
});
export type PolicySave = z.infer<typeof PolicySave>;

export const policies = resource({
  noun: "policy",
  plural: "policies",
  path: "/v1/policies",
  id: "policy_id",
  input: PolicySave,
  reply: Policy,
});

const NewRule = z.strictObject({
  detector: Name.describe("Name of one of `detectors`."),
  ...Rule.omit({ detector_id: true }).shape,
});

export const PolicyWithDetectors = z.strictObject({
  ...PolicySave.shape,
  detectors: z
    .array(DetectorInput)
    .max(20)
    .default([])
    .describe("Detectors to create. Rules refer to them by name."),
  input_rules: z.array(NewRule).max(100).default([]),
  output_rules: z.array(NewRule).max(100).default([]),
});
export type PolicyWithDetectors = z.infer<typeof PolicyWithDetectors>;

export const createPolicyWithDetectors = endpoint({
  name: "create_policy_with_detectors",
  method: "POST",
  path: "/v1/policies/with-detectors",
  auth: "write",
  summary: "Create a policy and its detectors, or nothing if one of them is invalid",
  body: PolicyWithDetectors,
  reply: Policy,
  status: 201,
});

export const PolicyUse = z.object({
  collector_id: Id,
  collector_name: Name,
  consumer_id: z
    .string()
    .nullable()
    .describe("`consumer_id` of an override. null: the collector's default policy."),
  version: z.int().nullable().describe("Pinned version. null: always the latest."),
});

export type PolicyUse = z.infer<typeof PolicyUse>;

export const PolicyGuard = z.object({
  gateway_id: Id,
  gateway_name: Name,
  consumer: z
    .object({ id: Id, name: Name, slug: z.string() })
    .nullable()
    .describe("The consumer of the guard or override. null: the guard of the gateway."),
  collector_id: Id,
  collector_name: Name,
  llm: GuardSettings.shape.llm,
  mcp: GuardSettings.shape.mcp,
  mcp_path: z
    .string()
    .nullable()
    .describe("Path of the MCP endpoint whose traffic is evaluated. null: none."),
  inherited_by: z
    .int()
    .describe("Number of consumers that inherit the guard and are not listed themselves."),
});
export type PolicyGuard = z.infer<typeof PolicyGuard>;

export const listPolicyUses = endpoint({
  name: "list_policy_uses",
  method: "GET",
  path: "/v1/policies/:policy_id/uses",
  auth: "read",
  summary:
    "List the collectors, overrides, gateways, consumers and MCP endpoints that use a policy",
  reply: z.object({ items: z.array(PolicyUse), guards: z.array(PolicyGuard) }),
});

/** Saved policy with copies of its detectors, so that later changes do not affect it. */
export const PolicyDocument = z.object({
  ...PolicyInput.shape,
  detectors: z.record(z.string(), DetectorInput.omit({ enabled: true })),
});
export type PolicyDocument = z.infer<typeof PolicyDocument>;

export const PolicyVersion = z.object({
  policy_id: Id,
  number: z.int(),
  reason: z
    .string()
    .describe("Why the version was created: saved, restored, or a detector changed."),
  note: z.string().describe("Note of the administrator who saved it. Empty: none."),
  actor: z.string(),
  created_at: Time,
});
export type PolicyVersion = z.infer<typeof PolicyVersion>;

const versions = "/v1/policies/:policy_id/versions";

export const listPolicyVersions = endpoint({
  name: "list_policy_versions",
  method: "GET",
  path: versions,
  auth: "read",
  summary: "List the versions of a policy, newest first",
  query: PageQuery.omit({ q: true, sort: true }),
  reply: page(PolicyVersion),
});

export const getPolicyVersion = endpoint({
  name: "get_policy_version",
  method: "GET",
  path: `${versions}/:number`,
  auth: "read",
  summary: "Get a version of a policy",
  reply: PolicyVersion.extend({ document: PolicyDocument }),
});

export const diffPolicyVersions = endpoint({
  name: "diff_policy_versions",
  method: "GET",
  path: `${versions}/:number/diff`,
  auth: "read",
  summary: "Compare a version with an earlier one, by default the previous version",
  query: z.strictObject({ from: z.coerce.number().int().min(1).optional() }),
  reply: z.object({
    from: z.int(),
    to: z.int(),
    changes: z.array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() })),
  }),
});

export const restorePolicyVersion = endpoint({
  name: "restore_policy_version",
  method: "POST",
  path: `${versions}/:number/restore`,
  auth: "write",
  summary: "Restore an earlier version as the latest one, with the current detectors",
  reply: Policy,
});
