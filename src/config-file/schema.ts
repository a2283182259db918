/** Schema of the YAML file that describes a whole installation. Items refer to each other by name, never by id. */
import { z } from "zod";
import { describeUnknownKind } from "../admin/detectors.ts";
import { AttachedRegistry, ConsumerInput } from "../contract/gateway/consumers.ts";
import { GatewayInput } from "../contract/gateway/gateways.ts";
import { PROVIDER_OPTIONS, RegistryInput } from "../contract/gateway/registries.ts";
import { CollectorInput, OverrideInput } from "../contract/guard/collectors.ts";
import { DetectorInput } from "../contract/guard/detectors.ts";
import { GuardOff, GuardSettings } from "../contract/guard/guard-settings.ts";
import { PolicyInput, Rule } from "../contract/guard/policies.ts";
import { KeyInput } from "../contract/keys.ts";
import { Id, Name, Slug, Text } from "../contract/shapes.ts";
import { AccessRuleInput } from "../contract/store/access.ts";
import { CatalogEntryInput } from "../contract/store/catalog.ts";
import { IssuerInput, PrincipalTokenInput } from "../contract/store/principals.ts";
import { AdminTokenInput } from "../contract/tokens.ts";
import { hashSecret, secretHint } from "../lib/crypto/secrets.ts";
import { detectors as catalog } from "../policy/detectors/all.ts";

type Issues = Pick<z.core.$RefinementCtx<unknown>, "issues">;

const addIssue = ({ issues }: Issues, path: PropertyKey[], message: string): void =>
  void issues.push({ code: "custom", path, message, input: undefined });

/** List whose items differ in their identity: of two equal ones, the second would silently win. */
const listOf = <Item extends z.ZodType<object>>(
  item: Item,
  identity: (item: z.output<Item>) => string,
  { max, member }: { max: number; member: string },
) =>
  z
    .array(item)
    .max(max)
    .superRefine((list, context) => {
      const seen = new Set<string>();
      for (const [index, entry] of list.entries()) {
        if (seen.has(identity(entry))) addIssue(context, [index, member], "is listed twice");
        seen.add(identity(entry));
      }
    });

const namedList = <Item extends z.ZodType<{ name: string }>>(item: Item, max = 1000) =>
  listOf(item, ({ name }) => name, { max, member: "name" });

const unchanged = "Left out: not changed.";

/** Members of a key or token. The file holds its SHA-256, which admits no one but rebuilds the key. */
const hashMembers = {
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hexadecimal")
    .optional()
    .describe("SHA-256 of the secret."),
  hint: Text.max(32).optional().describe("First characters of the secret, for recognition."),
};
const Secret = Text.min(16)
  .max(512)
  .optional()
  .describe("Instead of `sha256`: the secret itself, best as a reference to a variable.");

interface HashMembers {
  sha256?: string | undefined;
  hint?: string | undefined;
}

/** Replaces the secret, which goes no further, by its hash. */
function replaceSecret<Item extends HashMembers>(
  { sha256, hint, ...item }: Item,
  secret: string | undefined,
  context: Issues,
) {
  if ((sha256 === undefined) === (secret === undefined)) {
    addIssue(context, [], "needs either sha256 or the secret itself");
  }
  return secret === undefined
    ? { ...item, sha256: sha256 ?? "", hint: hint ?? "…" }
    : { ...item, sha256: hashSecret(secret), hint: secretHint(secret) };
}

const hashedList = <Item extends z.ZodType<{ sha256: string }>>(item: Item) =>
  listOf(item, ({ sha256 }) => sha256, { max: 1000, member: "sha256" })
    .optional()
    .describe(unchanged);

export const ConfigKey = KeyInput.extend({ ...hashMembers, key: Secret }).transform(
  ({ key, ...item }, context) => replaceSecret(item, key, context),
);
export type ConfigKey = z.infer<typeof ConfigKey>;

export const ConfigServiceClient = KeyInput.extend({
  client_id: Id.optional().describe(
    "Sent by the client with its secret. Left out: unchanged, or generated.",
  ),
  ...hashMembers,
  client_secret: Secret,
}).transform(({ client_secret, ...item }, context) => replaceSecret(item, client_secret, context));
export type ConfigServiceClient = z.infer<typeof ConfigServiceClient>;

export const ConfigAdminToken = AdminTokenInput.omit({ gateway_ids: true })
  .extend({
    gateways: z
      .array(Slug)
      .max(200)
      .nullable()
      .default(null)
      .describe("Slugs of the gateways that the token is limited to. null: all gateways."),
    ...hashMembers,
    token: Secret,
  })
  .transform(({ token, ...item }, context) => replaceSecret(item, token, context));
export type ConfigAdminToken = z.infer<typeof ConfigAdminToken>;

export const ConfigPrincipalToken = PrincipalTokenInput.extend({
  ...hashMembers,
  token: Secret,
}).transform(({ token, ...item }, context) => replaceSecret(item, token, context));
export type ConfigPrincipalToken = z.infer<typeof ConfigPrincipalToken>;

/** Fills in the options of the provider, so that they compare equal to the stored ones. */
export const ConfigRegistry = RegistryInput.transform((registry, context) => {
  const { data = {}, error } = PROVIDER_OPTIONS[registry.provider].safeParse(
    registry.provider_options,
  );
  for (const issue of error?.issues ?? []) {
    context.issues.push({ ...issue, path: ["provider_options", ...issue.path], input: undefined });
  }
  return { ...registry, provider_options: { ...data } };
});

const ConfigAttachedRegistry = z.strictObject({
  registry: Name.describe("Name of a registry of the same gateway."),
  ...AttachedRegistry.omit({ id: true }).shape,
});

/** Refers to the collector by name. */
export const ConfigGuard = z.strictObject({
  collector: Name.nullable().describe(
    "Name of the collector whose policy evaluates the traffic. null: nothing is evaluated.",
  ),
  ...GuardSettings.omit({ collector_id: true }).shape,
});
export type ConfigGuard = z.infer<typeof ConfigGuard>;

const ConfigConsumerGuard = z
  .discriminatedUnion("off", [
    GuardOff,
    ConfigGuard.extend({ off: z.literal(false).default(false) }),
  ])
  .nullable();
export type ConfigConsumerGuard = z.infer<typeof ConfigConsumerGuard>;

export const ConfigConsumer = ConsumerInput.extend({
  slug: ConsumerInput.shape.slug.unwrap().describe("Identity: the first segment of the path."),
  registries: listOf(ConfigAttachedRegistry, ({ registry }) => registry, {
    max: 100,
    member: "registry",
  })
    .default([])
    .describe("In order of preference."),
  guard: ConfigConsumerGuard.optional().describe(
    `Guard that replaces the gateway's; \`off: true\` exempts the consumer. null: the gateway's guard. ${unchanged}`,
  ),
  keys: hashedList(ConfigKey),
});

/** A rule is identified by its subject and its target: `group:eng on category:development`. */
export const accessRuleIdentity = (rule: AccessRuleInput): string =>
  `${rule.subject_type}:${rule.subject} on ${rule.target_type}:${rule.target}`;

export const ConfigGateway = GatewayInput.extend({
  slug: Slug.describe("Identity of the gateway."),
  guard: ConfigGuard.optional().describe(unchanged),
  catalog: listOf(CatalogEntryInput, ({ code }) => code, { max: 1000, member: "code" })
    .optional()
    .describe(`Store servers besides the shipped ones. ${unchanged}`),
  access_rules: listOf(AccessRuleInput, accessRuleIdentity, { max: 10_000, member: "subject" })
    .optional()
    .describe(`Who may install which Store servers. ${unchanged}`),
  issuers: namedList(IssuerInput, 100)
    .optional()
    .describe(`Issuers whose tokens identify principals. ${unchanged}`),
  principal_tokens: hashedList(ConfigPrincipalToken),
  registries: namedList(ConfigRegistry).default([]),
  consumers: z.array(ConfigConsumer).max(10_000).default([]),
});
export type ConfigGateway = z.infer<typeof ConfigGateway>;

/** In place of `registry_id` in the settings of a detector that calls a model. */
export const ConfigRegistryRef = z
  .strictObject({
    gateway: Slug.describe("Slug of the registry's gateway."),
    name: Name.describe("Name of the registry."),
  })
  .describe("The registry that is called; it must support chat.");

/** Settings of each kind of detector, as the file writes them. */
export const DETECTOR_SETTINGS: ReadonlyMap<string, z.ZodObject> = new Map(
  [...catalog.values()].map(({ kind, settings }) => {
    // Every detector's settings are an object.
    const stored = settings as z.ZodObject;
    const { registry_id, ...shape } = stored.shape;
    return [kind, registry_id ? z.strictObject({ registry: ConfigRegistryRef, ...shape }) : stored];
  }),
);

export const ConfigDetector = DetectorInput.transform((detector, context) => {
  const schema = DETECTOR_SETTINGS.get(detector.kind);
  if (!schema) addIssue(context, ["kind"], describeUnknownKind());
  const { data = {}, error } = schema?.safeParse(detector.settings) ?? {};
  for (const issue of error?.issues ?? []) {
    context.issues.push({ ...issue, path: ["settings", ...issue.path], input: undefined });
  }
  return { ...detector, settings: data };
});

const ConfigRule = z.strictObject({
  detector: Name.describe("Name of a detector."),
  ...Rule.omit({ detector_id: true }).shape,
});
const rules = z.array(ConfigRule).max(100).default([]);

export const ConfigPolicy = PolicyInput.extend({
  input_rules: rules.describe("Rules for `direction: input`, in order."),
  output_rules: rules.describe("Rules for `direction: output`, in order."),
});
export type ConfigPolicy = z.infer<typeof ConfigPolicy>;

export const ConfigOverride = z.strictObject({
  consumer_id: z.string().min(1).max(1024).describe("The `consumer_id` that evaluations send."),
  policy: Name.describe("Name of the policy that applies to it."),
  policy_version: OverrideInput.shape.policy_version,
});
export type ConfigOverride = z.infer<typeof ConfigOverride>;

const { gateway_id: _, default_policy_id: __, ...collectorMembers } = CollectorInput.shape;

export const ConfigCollector = z.strictObject({
  ...collectorMembers,
  collector_key: collectorMembers.collector_key.describe(
    "Identifies the collector in requests with a service token. Not a secret. Left out: unchanged, or generated.",
  ),
  gateway: Slug.nullable().default(null).describe("Slug of the gateway it belongs to, if any."),
  default_policy: Name.nullable()
    .default(null)
    .describe("Name of its policy. null: nothing is evaluated and everything is allowed."),
  overrides: listOf(ConfigOverride, ({ consumer_id }) => consumer_id, {
    max: 10_000,
    member: "consumer_id",
  })
    .optional()
    .describe(unchanged),
  keys: hashedList(ConfigKey),
  service_clients: hashedList(ConfigServiceClient),
});
export type ConfigCollector = z.infer<typeof ConfigCollector>;

export const ConfigFile = z
  .strictObject({
    version: z.literal(1).describe("Version of this format."),
    gateways: listOf(ConfigGateway, ({ slug }) => slug, { max: 1000, member: "slug" }).default([]),
    detectors: namedList(ConfigDetector).optional().describe(unchanged),
    policies: namedList(ConfigPolicy).optional().describe(unchanged),
    collectors: namedList(ConfigCollector).optional().describe(unchanged),
    tokens: hashedList(ConfigAdminToken),
  })
  .superRefine(checkConsumers);
export type ConfigFile = z.infer<typeof ConfigFile>;

function checkConsumers({ gateways }: { gateways: ConfigGateway[] }, context: Issues): void {
  const slugs = new Set<string>();
  for (const [g, gateway] of gateways.entries()) {
    const names = new Set(gateway.registries.map(({ name }) => name));
    for (const [c, consumer] of gateway.consumers.entries()) {
      const at = ["gateways", g, "consumers", c];
      // Unique in the installation: the path identifies the consumer by its slug alone.
      if (slugs.has(consumer.slug)) addIssue(context, [...at, "slug"], "is listed twice");
      slugs.add(consumer.slug);
      for (const [r, { registry }] of consumer.registries.entries()) {
        if (names.has(registry)) continue;
        addIssue(
          context,
          [...at, "registries", r, "registry"],
          "is not a registry of this gateway",
        );
      }
    }
  }
}
