/** The shape of the YAML file that describes a whole installation. */
import { z } from "zod";
import { secretHash, secretHint } from "../lib/secret-hash.ts";
import { AttachedRegistry, ConsumerInput } from "./consumers.ts";
import { GatewayInput } from "./gateways.ts";
import { KeyInput } from "./keys.ts";
import { OPTIONS, RegistryInput } from "./registries.ts";
import { Name, Slug, Text } from "./shapes.ts";
import { AccessRuleInput } from "./store-access.ts";
import { CatalogEntryInput } from "./store-catalog.ts";
import { IssuerInput } from "./store-principals.ts";
import { AdminTokenInput } from "./tokens.ts";

/** A key or token is in the file as its hash, so that the file opens nothing and yet rebuilds all. */
const Held = {
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hexadecimal")
    .optional()
    .describe("SHA-256 of the secret."),
  hint: Text.max(32).optional().describe("The first characters, to recognise it by."),
};
const Secret = Text.min(16)
  .max(512)
  .optional()
  .describe("Instead of `sha256`: the secret itself, best as a reference to a variable.");

export const ConfigKey = KeyInput.extend({ ...Held, key: Secret }).transform(
  ({ key, ...entry }, context) => ({ ...entry, ...hashed(entry, key, context) }),
);
export type ConfigKey = z.infer<typeof ConfigKey>;

export const ConfigToken = AdminTokenInput.omit({ gateway_ids: true })
  .extend({
    gateways: z
      .array(Slug)
      .max(200)
      .nullable()
      .default(null)
      .describe("Slugs of the gateways it is limited to. null: all of them."),
    ...Held,
    token: Secret,
  })
  .transform(({ token, ...entry }, context) => ({ ...entry, ...hashed(entry, token, context) }));
export type ConfigToken = z.infer<typeof ConfigToken>;

export const ConfigRegistry = RegistryInput.transform((registry, context) => {
  const options = OPTIONS[registry.provider].safeParse(registry.provider_options);
  for (const issue of options.error?.issues ?? []) {
    const path = ["provider_options", ...issue.path];
    context.issues.push({ ...issue, path, input: undefined });
  }
  return { ...registry, provider_options: (options.data ?? {}) as Record<string, unknown> };
});
export type ConfigRegistry = z.infer<typeof ConfigRegistry>;

/** A rule is known by what it speaks of: `group:eng on category:development`. */
export const ConfigAccessRule = AccessRuleInput.transform((rule) => ({
  ...rule,
  name: accessRuleName(rule),
}));
export type ConfigAccessRule = z.infer<typeof ConfigAccessRule>;

export const accessRuleName = (rule: AccessRuleInput): string =>
  `${rule.subject_type}:${rule.subject} on ${rule.target_type}:${rule.target}`;

const ConfigAttached = z.strictObject({
  registry: Name.describe("Name of a registry of the same gateway."),
  ...AttachedRegistry.omit({ id: true }).shape,
});

export const ConfigConsumer = ConsumerInput.extend({
  slug: ConsumerInput.shape.slug.unwrap().describe("Its identity: the first part of the path."),
  registries: z
    .array(ConfigAttached)
    .max(100)
    .superRefine((list, context) => refuseTwice(list, "registry", context))
    .default([])
    .describe("In order: the first wins where nothing else decides."),
  keys: z
    .array(ConfigKey)
    .max(1000)
    .superRefine((list, context) => refuseTwice(list, "sha256", context))
    .optional()
    .describe("Left out: its keys are left alone."),
});
export type ConfigConsumer = z.infer<typeof ConfigConsumer>;

/** Collectors are known by ids that mean nothing elsewhere: which one guards is left alone. */
export const ConfigGateway = GatewayInput.omit({ guard: true }).extend({
  slug: Slug.describe("Its identity."),
  registries: z
    .array(ConfigRegistry)
    .max(1000)
    .superRefine((list, context) => refuseTwice(list, "name", context))
    .default([]),
  consumers: z.array(ConfigConsumer).max(10_000).default([]),
  catalog: z
    .array(CatalogEntryInput)
    .max(1000)
    .superRefine((list, context) => refuseTwice(list, "code", context))
    .optional()
    .describe("What the Store has beside the shipped servers. Left out: it is left alone."),
  access_rules: z
    .array(ConfigAccessRule)
    .max(10_000)
    .superRefine((list, context) => refuseTwice(list, "name", context))
    .optional()
    .describe("Who may install what. Left out: the rules are left alone."),
  issuers: z
    .array(IssuerInput)
    .max(100)
    .superRefine((list, context) => refuseTwice(list, "name", context))
    .optional()
    .describe("Whose tokens name principals. Left out: they are left alone."),
});
export type ConfigGateway = z.infer<typeof ConfigGateway>;

export const ConfigFile = z
  .strictObject({
    version: z.literal(1).describe("Of this format."),
    gateways: z
      .array(ConfigGateway)
      .max(1000)
      .superRefine((list, context) => refuseTwice(list, "slug", context))
      .default([]),
    tokens: z
      .array(ConfigToken)
      .max(1000)
      .superRefine((list, context) => refuseTwice(list, "sha256", context))
      .optional()
      .describe("Left out: administrator tokens are left alone."),
  })
  .superRefine(checkReferences);
export type ConfigFile = z.infer<typeof ConfigFile>;

type Refine = z.core.$RefinementCtx<unknown>;

function hashed(
  { sha256, hint }: { sha256?: string | undefined; hint?: string | undefined },
  secret: string | undefined,
  context: Pick<Refine, "issues">,
): { sha256: string; hint: string } {
  if ((sha256 === undefined) === (secret === undefined)) {
    refuse(context, [], "needs either sha256 or the secret itself");
  }
  return secret === undefined
    ? { sha256: sha256 ?? "", hint: hint ?? "…" }
    : { sha256: secretHash(secret), hint: secretHint(secret) };
}

/** Two items with one identity: the second would silently win. */
function refuseTwice<Item>(
  list: readonly Item[],
  identity: keyof Item & string,
  context: Pick<Refine, "issues">,
): void {
  const seen = new Set<unknown>();
  for (const [index, item] of list.entries()) {
    if (seen.has(item[identity])) refuse(context, [index, identity], "is there twice");
    seen.add(item[identity]);
  }
}

function checkReferences(
  { gateways }: { gateways: ConfigGateway[] },
  context: Pick<Refine, "issues">,
): void {
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

const refuse = (context: Pick<Refine, "issues">, path: PropertyKey[], message: string): void =>
  void context.issues.push({ code: "custom", path, message, input: undefined });
