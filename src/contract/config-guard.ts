/** Policies and collectors in a configuration file: what they refer to is named, never an id. */
import { z } from "zod";
import { CollectorInput, OverrideInput } from "./collectors.ts";
import { ConfigKey, ConfigServiceClient } from "./config-held.ts";
import { configList } from "./config-list.ts";
import { PolicyInput, Rule } from "./policies.ts";
import { Name, Slug } from "./shapes.ts";

/** In place of `registry_id` in the settings of a detector that asks a model. */
export const ConfigRegistryRef = z
  .strictObject({
    gateway: Slug.describe("Slug of its gateway."),
    name: Name.describe("Its name there."),
  })
  .describe("The registry that is asked; it must be able to chat.");

export const ConfigRule = z.strictObject({
  detector: Name.describe("Name of a detector."),
  ...Rule.omit({ detector_id: true }).shape,
});

const rules = z.array(ConfigRule).max(100).default([]);

export const ConfigPolicy = PolicyInput.extend({
  input_rules: rules.describe("For `direction: input`, in order."),
  output_rules: rules.describe("For `direction: output`, in order."),
});
export type ConfigPolicy = z.infer<typeof ConfigPolicy>;

export const ConfigOverride = z.strictObject({
  consumer_id: z.string().min(1).max(1024).describe("As evaluations name it."),
  policy: Name.describe("Name of the policy that judges it."),
  policy_version: OverrideInput.shape.policy_version,
});
export type ConfigOverride = z.infer<typeof ConfigOverride>;

const { gateway_id: _, default_policy_id: __, ...own } = CollectorInput.shape;
const { name, type, collector_key, ...rest } = own;

export const ConfigCollector = z.strictObject({
  name,
  type,
  gateway: Slug.nullable().default(null).describe("Slug of the gateway it belongs to, if any."),
  collector_key: collector_key.describe(
    "Names the collector beside a service token. Not a secret. Left out: it stays, or is generated.",
  ),
  default_policy: Name.nullable()
    .default(null)
    .describe("Name of its policy. null: nothing is judged, all is allowed."),
  ...rest,
  overrides: configList(ConfigOverride, "consumer_id", 10_000)
    .optional()
    .describe("Left out: they are left alone."),
  keys: configList(ConfigKey, "sha256", 1000)
    .optional()
    .describe("Left out: its keys are left alone."),
  service_clients: configList(ConfigServiceClient, "sha256", 1000)
    .optional()
    .describe("Left out: they are left alone."),
});
export type ConfigCollector = z.infer<typeof ConfigCollector>;
