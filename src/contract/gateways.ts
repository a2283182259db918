/** Wire shapes of gateways, and of the plugin configuration call (spec 4.2). */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { resource, toPatchSchema } from "./resource.ts";
import { Id, Labels, Name, Slug, storedMembers } from "./shapes.ts";
import { AccessLevel } from "./store-access.ts";

export const PluginEntry = z.strictObject({
  name: z.string().max(64).describe("Which plugin: see `GET /v1/plugins`."),
  enabled: z.boolean().default(true),
  stage: z.string().max(64).describe("When it runs: one of the stages the plugin names."),
  priority: z.int().default(0).describe("Lower numbers run first."),
  settings: z.record(z.string(), z.unknown()).default({}),
});
export type PluginEntry = z.infer<typeof PluginEntry>;

/** The settings of all enabled entries of one plugin, in priority order. */
export interface RequiredPlugin {
  name: string;
  settings: readonly PluginEntry["settings"][];
}

export const GatewayStore = z.strictObject({
  // No default: whoever changes the other member alone must not change the level unawares.
  default_level: AccessLevel.describe("Holds where no access rule matches."),
  public_catalog: z
    .boolean()
    .default(false)
    .describe("Serve the catalog at `/v0.1/servers` to callers without a token."),
});

export const GatewayGuard = z.strictObject({
  collector_id: Id.nullable()
    .default(null)
    .describe("The collector whose policy judges every tool call and its result. null: none."),
});

export const GatewayInput = z.strictObject({
  name: Name,
  slug: Slug.optional().describe("Generated when left out. Unique."),
  required_plugins: z
    .array(PluginEntry)
    .max(50)
    .default([])
    .describe("A plugin may be listed several times: all enabled entries apply."),
  metadata: Labels.default({}).describe("Your own labels; the gateway does not read them."),
  store: GatewayStore.prefault({ default_level: "request" }),
  guard: GatewayGuard.prefault({}),
});
export type GatewayInput = z.infer<typeof GatewayInput>;

export const Gateway = z.object({ ...GatewayInput.shape, slug: Slug, ...storedMembers });
export type Gateway = z.infer<typeof Gateway>;

export const gateways = resource({
  noun: "gateway",
  plural: "gateways",
  path: "/v1/gateways",
  id: "gateway_id",
  input: GatewayInput,
  reply: Gateway,
});

const configured = {
  path: "/api/v1/gateways/:gateway_id",
  auth: "write",
  summary: "Configure the plugins of a gateway; members left out keep their value",
  body: toPatchSchema(GatewayInput),
  reply: Gateway,
} as const;
export const configureGateway = endpoint({
  ...configured,
  name: "configure_gateway",
  method: "POST",
});
export const reconfigureGateway = endpoint({
  ...configured,
  name: "reconfigure_gateway",
  method: "PUT",
});

export const listPlugins = endpoint({
  name: "list_plugins",
  method: "GET",
  path: "/v1/plugins",
  auth: "read",
  summary: "List the plugins a gateway can require, with the schema of their settings",
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
