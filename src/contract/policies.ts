/** Wire shapes of policies: gates, rules, and the immutable versions that every save makes. */
import { z } from "zod";
import { Condition } from "./conditions.ts";
import { DetectorInput } from "./detectors.ts";
import { endpoint } from "./endpoint.ts";
import { ACTIONS } from "./evaluate.ts";
import { resource } from "./resource.ts";
import { Id, Name, PageQuery, page, storedMembers, Time } from "./shapes.ts";

export const MODES = ["observe", "enforce"] as const;
export type Mode = (typeof MODES)[number];
const GATE_ACTIONS = [...ACTIONS, "skip"] as const;

const Mode = z.enum(MODES);
const when = Condition.nullable().default(null).describe("null: always.");
const mode = Mode.nullable()
  .default(null)
  .describe("`observe` records what it would have done. null: as the policy says.");
const enabled = z.boolean().default(true);

export const Gate = z.strictObject({
  name: Name,
  when,
  action: z
    .enum(GATE_ACTIONS)
    .describe(
      "The most restrictive gate that matches wins, in any order: with block and ask no detector runs. skip ends the gates without a finding: those below it do not apply, and detectors run.",
    ),
  mask: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .describe("With transform: what to mask, as the settings of data_loss_prevention."),
  mode,
  enabled,
});
export type Gate = z.infer<typeof Gate>;

export const Rule = z.strictObject({
  detector_id: Id,
  action: z.enum(ACTIONS).describe("transform needs a detector that masks; ask is for input."),
  when,
  mode,
  enabled,
});
export type Rule = z.infer<typeof Rule>;

export const PolicyInput = z.strictObject({
  name: Name,
  mode: Mode.default("enforce").describe(
    "`observe`: no status above report; nothing is rewritten.",
  ),
  gates: z.array(Gate).max(100).default([]).describe("In order, before any detector."),
  input_rules: z.array(Rule).max(100).default([]).describe("For `direction: input`, in order."),
  output_rules: z.array(Rule).max(100).default([]).describe("For `direction: output`, in order."),
});
export type PolicyInput = z.infer<typeof PolicyInput>;

export const Policy = z.object({ ...PolicyInput.shape, ...storedMembers });
export type Policy = z.infer<typeof Policy>;

export const policies = resource({
  noun: "policy",
  plural: "policies",
  path: "/v1/policies",
  id: "policy_id",
  input: PolicyInput,
  reply: Policy,
});

export const PolicyUse = z.object({
  collector_id: Id,
  collector_name: Name,
  consumer_id: z.string().nullable().describe("Of an override. null: everybody else."),
  version: z.int().nullable().describe("The pinned one. null: always the newest."),
});

export const listPolicyUses = endpoint({
  name: "list_policy_uses",
  method: "GET",
  path: "/v1/policies/:policy_id/uses",
  auth: "read",
  summary: "List the collectors and overrides that a policy judges for",
  reply: z.object({ items: z.array(PolicyUse) }),
});

/** A policy as it was saved, with the detectors it used: nothing outside changes what it does. */
export const PolicyDocument = z.object({
  ...PolicyInput.shape,
  detectors: z.record(z.string(), DetectorInput.omit({ enabled: true })),
});
export type PolicyDocument = z.infer<typeof PolicyDocument>;

export const PolicyVersion = z.object({
  policy_id: Id,
  number: z.int(),
  reason: z.string().describe("Why it was made: saved, restored, or a detector changed."),
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
  summary: "Read a version of a policy as it was saved",
  reply: PolicyVersion.extend({ document: PolicyDocument }),
});

export const diffPolicyVersions = endpoint({
  name: "diff_policy_versions",
  method: "GET",
  path: `${versions}/:number/diff`,
  auth: "read",
  summary: "What changed from another version to this one; from the one before when left out",
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
  summary: "Save an earlier version again, as the newest; its rules use the detectors of today",
  reply: Policy,
});
