/** Wire shapes of collectors: who sends evaluations, and which policy judges them. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { resource } from "./resource.ts";
import { Id, Name, PageQuery, page, Slug, storedMembers, Time } from "./shapes.ts";

export const CONTENT_STORAGE = ["none", "masked", "full"] as const;
export const FAIL_MODES = ["closed", "open"] as const;

const policy_version = z
  .int()
  .min(1)
  .nullable()
  .default(null)
  .describe("Pins a version. null: always the newest.");

export const CollectorInput = z.strictObject({
  name: Name,
  type: Slug.default("application").describe(
    "Where the evaluations come from: application, gateway, agent, ide, edge, browser, …",
  ),
  gateway_id: Id.nullable().default(null).describe("The gateway it belongs to, if any."),
  collector_key: Slug.optional().describe(
    "Names the collector beside a service token. Not a secret. Generated when left out.",
  ),
  default_policy_id: Id.nullable()
    .default(null)
    .describe("null: nothing is judged, all is allowed."),
  default_policy_version: policy_version,
  fail_mode: z
    .enum(FAIL_MODES)
    .default("closed")
    .describe("When a detector fails: `closed` answers 500, `open` goes on without it."),
  content_storage: z
    .enum(CONTENT_STORAGE)
    .default("masked")
    .describe("What Activity keeps of the texts. `masked` hides personal data and secrets."),
  retention_days: z.int().min(1).max(3650).default(90).describe("How long Activity keeps events."),
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
  summary: "List whom another policy judges than the collector's own",
  query: PageQuery,
  reply: page(Override),
});

/** The path holds the `consumer_id` of evaluations, percent-encoded: any text, not an id of ours. */
export const setOverride = endpoint({
  name: "set_override",
  method: "PUT",
  path: `${overrides}/:consumer`,
  auth: "write",
  summary: "Have another policy judge what this consumer_id sends",
  body: OverrideInput,
  reply: Override,
});

export const removeOverride = endpoint({
  name: "remove_override",
  method: "DELETE",
  path: `${overrides}/:consumer`,
  auth: "write",
  summary: "Back to the policy of the collector",
});
