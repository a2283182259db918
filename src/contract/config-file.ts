/** The shape of the YAML file that describes a whole installation. */
import { z } from "zod";
import { ConfigCollector, ConfigPolicy } from "./config-guard.ts";
import { ConfigKey, ConfigToken } from "./config-held.ts";
import { configList, type Issues, refuse } from "./config-list.ts";
import { ConfigAccessRule } from "./config-store.ts";
import { AttachedRegistry, ConsumerInput } from "./consumers.ts";
import { DetectorInput } from "./detectors.ts";
import { GatewayInput } from "./gateways.ts";
import { PROVIDER_OPTIONS, RegistryInput } from "./registries.ts";
import { Name, Slug } from "./shapes.ts";
import { CatalogEntryInput } from "./store-catalog.ts";
import { IssuerInput } from "./store-principals.ts";

export const ConfigRegistry = RegistryInput.transform((registry, context) => {
  const options = PROVIDER_OPTIONS[registry.provider].safeParse(registry.provider_options);
  for (const issue of options.error?.issues ?? []) {
    const path = ["provider_options", ...issue.path];
    context.issues.push({ ...issue, path, input: undefined });
  }
  return { ...registry, provider_options: (options.data ?? {}) as Record<string, unknown> };
});
export type ConfigRegistry = z.infer<typeof ConfigRegistry>;

const ConfigAttached = z.strictObject({
  registry: Name.describe("Name of a registry of the same gateway."),
  ...AttachedRegistry.omit({ id: true }).shape,
});

export const ConfigConsumer = ConsumerInput.extend({
  slug: ConsumerInput.shape.slug.unwrap().describe("Its identity: the first part of the path."),
  registries: configList(ConfigAttached, "registry", 100)
    .default([])
    .describe("In order: the first wins where nothing else decides."),
  keys: configList(ConfigKey, "sha256", 1000)
    .optional()
    .describe("Left out: its keys are left alone."),
});
export type ConfigConsumer = z.infer<typeof ConfigConsumer>;

/** Collectors are known by ids that mean nothing elsewhere: which one guards is left alone. */
export const ConfigGateway = GatewayInput.omit({ guard: true }).extend({
  slug: Slug.describe("Its identity."),
  registries: configList(ConfigRegistry, "name", 1000).default([]),
  consumers: z.array(ConfigConsumer).max(10_000).default([]),
  catalog: configList(CatalogEntryInput, "code", 1000)
    .optional()
    .describe("What the Store has beside the shipped servers. Left out: it is left alone."),
  access_rules: configList(ConfigAccessRule, "name", 10_000)
    .optional()
    .describe("Who may install what. Left out: the rules are left alone."),
  issuers: configList(IssuerInput, "name", 100)
    .optional()
    .describe("Whose tokens name principals. Left out: they are left alone."),
});
export type ConfigGateway = z.infer<typeof ConfigGateway>;

export const ConfigFile = z
  .strictObject({
    version: z.literal(1).describe("Of this format."),
    gateways: configList(ConfigGateway, "slug", 1000).default([]),
    detectors: configList(DetectorInput, "name", 1000)
      .optional()
      .describe("Left out: detectors are left alone."),
    policies: configList(ConfigPolicy, "name", 1000)
      .optional()
      .describe("Left out: policies are left alone."),
    collectors: configList(ConfigCollector, "name", 1000)
      .optional()
      .describe("Left out: collectors are left alone."),
    tokens: configList(ConfigToken, "sha256", 1000)
      .optional()
      .describe("Left out: administrator tokens are left alone."),
  })
  .superRefine(checkReferences);
export type ConfigFile = z.infer<typeof ConfigFile>;

function checkReferences({ gateways }: { gateways: ConfigGateway[] }, context: Issues): void {
  const slugs = new Set<string>();
  for (const [g, gateway] of gateways.entries()) {
    const names = new Set(gateway.registries.map(({ name }) => name));
    for (const [c, consumer] of gateway.consumers.entries()) {
      const at = ["gateways", g, "consumers", c];
      // Unique over all gateways: the slug alone names the consumer in the path.
      if (slugs.has(consumer.slug)) refuse(context, [...at, "slug"], "is there twice");
      slugs.add(consumer.slug);
      for (const [r, { registry }] of consumer.registries.entries()) {
        if (names.has(registry)) continue;
        refuse(context, [...at, "registries", r, "registry"], "no registry of this gateway");
      }
    }
  }
}
