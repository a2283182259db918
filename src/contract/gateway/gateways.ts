/** Wire shapes of gateways and their plugins. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { GuardPatch, GuardSettings } from "../guard/guard-settings.ts";
import { resource, toPatchSchema } from "../resource.ts";
import { Labels, Name, Slug, storedMembers } from "../shapes.ts";
import { AccessLevel } from "../store/access.ts";

export const PluginEntry = z.strictObject({
  name: z.string().max(64).describe("Name of the plugin: see `GET /v1/plugins`."),
  enabled: z.boolean().default(true).describe("false: the entry has no effect."),
  stage: z.string().max(64).describe("Stage at which it runs; the plugin lists its stages."),
  priority: z.int().default(0).describe("Lower numbers run first."),
  settings: z.record(z.string(), z.unknown()).default({}).describe("Settings of the plugin."),
});
export type PluginEntry = z.infer<typeof PluginEntry>;

/** Settings of all enabled entries of one plugin, in order of priority. */
export interface RequiredPlugin {
  name: string;
  settings: readonly PluginEntry["settings"][];
}

export const GatewayStore = z.strictObject({
  // No default, so that an update of `public_catalog` alone does not change the level.
  default_level: AccessLevel.describe("Applies if no access rule matches."),
  public_catalog: z
    .boolean()
    .default(false)
    .describe("Serves the catalog at `/v0.1/servers` to callers without a token."),
});

export const GatewayInput = z.strictObject({
  name: Name,
  slug: Slug.optional().describe("Unique. Generated if left out."),
  required_plugins: z
    .array(PluginEntry)
    .max(50)
    .default([])
    .describe(
      "Plugins that run for every request. A plugin can have several entries; all enabled ones apply.",
    ),
  metadata: Labels.default({}).describe("Your own labels; they have no effect."),
  store: GatewayStore.prefault({ default_level: "request" }).describe("The gateway's MCP Store."),
  guard: GuardPatch.default({ collector_id: null }).describe(
    "Evaluation of the traffic of all consumers without a guard of their own, and of all principals.",
  ),
});
export type GatewayInput = z.infer<typeof GatewayInput>;

export const Gateway = z.object({
  ...GatewayInput.shape,
  slug: Slug,
  guard: GuardSettings,
  ...storedMembers,
});
export type Gateway = z.infer<typeof Gateway>;

export const gateways = resource({
  noun: "gateway",
  plural: "gateways",
  path: "/v1/gateways",
  id: "gateway_id",
  input: GatewayInput,
  reply: Gateway,
});

const configuration = {
  path: "/api/v1/gateways/:gateway_id",
  auth: "write",
  summary: "Update a gateway, under its older path; members left out keep their value",
  body: toPatchSchema(GatewayInput),
  reply: Gateway,
} as const;
export const configureGateway = endpoint({
  ...configuration,
  name: "configure_gateway",
  method: "POST",
});
export const reconfigureGateway = endpoint({
  ...configuration,
  name: "reconfigure_gateway",
  method: "PUT",
});

export const listPlugins = endpoint({
  name: "list_plugins",
  method: "GET",
  path: "/v1/plugins",
  auth: "read",
  summary: "List the available plugins, with the schema of their settings",
  reply: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        summary: z.string(),
        stages: z.array(z.string()),
        settings_schema: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
});
