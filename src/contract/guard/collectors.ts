/** Wire shapes of collectors: sources of evaluations, and the policy that applies to them. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { resource } from "../resource.ts";
import { Id, Name, PageQuery, page, Slug, storedMembers, Time } from "../shapes.ts";
import { ACTIONS } from "./actions.ts";

export const CONTENT_STORAGE = ["none", "masked", "full"] as const;
export const FAIL_MODES = ["closed", "open"] as const;

const policy_version = z
  .int()
  .min(1)
  .nullable()
  .default(null)
  .describe("Pinned version of the policy. null: always the latest.");

export const CollectorInput = z.strictObject({
  name: Name,
  type: Slug.default("application").describe(
    "Kind of source: application, gateway, agent, ide, edge, browser, …",
  ),
  gateway_id: Id.nullable()
    .default(null)
    .describe("Gateway that the collector belongs to, if any."),
  collector_key: Slug.optional().describe(
    "Identifies the collector in requests with a service token. Not a secret. Generated if left out.",
  ),
  default_policy_id: Id.nullable()
    .default(null)
    .describe("null: nothing is evaluated and everything is allowed."),
  default_policy_version: policy_version,
  fail_mode: z
    .enum(FAIL_MODES)
    .default("closed")
    .describe("If a detector fails: `closed` returns 500, `open` continues without it."),
  observe_until: Time.nullable()
    .default(null)
    .describe(
      "Until then, policies are applied in observe mode: verdicts are recorded, and nothing is blocked or rewritten. null or in the past: no effect.",
    ),
  content_storage: z
    .enum(CONTENT_STORAGE)
    .default("masked")
    .describe(
      "Whether Activity stores the inspected text. `masked` hides personal data and secrets.",
    ),
  retention_days: z
    .int()
    .min(1)
    .max(3650)
    .default(90)
    .describe("Days until Activity deletes events."),
});
export type CollectorInput = z.infer<typeof CollectorInput>;

export const Collector = z.object({
  ...CollectorInput.shape,
  collector_key: Slug,
  ...storedMembers,
});
export type Collector = z.infer<typeof Collector>;

export const collectors = resource({
  noun: "collector",
  plural: "collectors",
  path: "/v1/collectors",
  id: "collector_id",
  input: CollectorInput,
  reply: Collector,
});

const overrides = "/v1/collectors/:collector_id/overrides";

export const OverrideInput = z.strictObject({ policy_id: Id, policy_version });
export type OverrideInput = z.infer<typeof OverrideInput>;

export const Override = z.object({
  ...OverrideInput.shape,
  consumer_id: z.string(),
  created_at: Time,
});
export type Override = z.infer<typeof Override>;

export const listOverrides = endpoint({
  name: "list_overrides",
  method: "GET",
  path: overrides,
  auth: "read",
  summary: "List the consumers with a policy other than the collector's",
  query: PageQuery,
  reply: page(Override),
});

/** The path contains the `consumer_id` of evaluations, percent-encoded. It can be any text. */
export const setOverride = endpoint({
  name: "set_override",
  method: "PUT",
  path: `${overrides}/:consumer`,
  auth: "write",
  summary: "Apply another policy to a `consumer_id`",
  body: OverrideInput,
  reply: Override,
});

export const removeOverride = endpoint({
  name: "remove_override",
  method: "DELETE",
  path: `${overrides}/:consumer`,
  auth: "write",
  summary: "Apply the collector's policy again",
});

export const ObservedFindings = z.object({
  action: z.enum(ACTIONS).describe("Action that was not taken."),
  type: z.string().describe("`signal.type` of the findings."),
  place: z.string().nullable().describe("Pointer of the first match, with `*` for each index."),
  detector_name: z.string().describe("Name of the detector or gate."),
  count: z.int(),
  last_event_id: Id.describe("The newest event with such a finding."),
  last_time: Time,
});
export type ObservedFindings = z.infer<typeof ObservedFindings>;

export const getObserved = endpoint({
  name: "get_observed",
  method: "GET",
  path: "/v1/collectors/:collector_id/observed",
  auth: "read",
  reads_evaluations: true,
  summary: "Count findings whose action was not taken; the last 7 days unless `from` is set",
  query: z.strictObject({ from: Time.optional(), to: Time.optional().describe("Exclusive.") }),
  reply: z.object({
    from: Time,
    to: Time,
    evaluations: z.int().describe("All evaluations of the collector in the range."),
    items: z.array(ObservedFindings).describe("The 200 most frequent groups."),
    truncated: z.boolean().describe("There are more groups, or more than 20,000 events."),
  }),
});
