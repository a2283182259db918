/** Writes the installation as a configuration file: upstream secrets as `${NAME}`, defaults left out. */
import { stringify } from "yaml";
import { z } from "zod";
import {
  ConfigConsumer,
  type ConfigFile,
  ConfigGateway,
  ConfigRegistry,
} from "../contract/config-file.ts";
import {
  ConfigCollector,
  ConfigOverride,
  ConfigPolicy,
  ConfigRule,
} from "../contract/config-guard.ts";
import { ConfigKey, ConfigServiceClient, ConfigToken } from "../contract/config-held.ts";
import { ConfigAccessRule } from "../contract/config-store.ts";
import { DetectorInput } from "../contract/detectors.ts";
import { Gate } from "../contract/policies.ts";
import { PROVIDER_OPTIONS, REGISTRY_SECRETS } from "../contract/registries.ts";
import { CatalogEntryInput } from "../contract/store-catalog.ts";
import { IssuerInput } from "../contract/store-principals.ts";
import type { Deps } from "../deps.ts";
import { mapSecrets } from "../lib/json/secret-paths.ts";
import { currentConfig } from "./current-config.ts";
import { detectorSecretPaths, FILE_SETTINGS } from "./detector-settings.ts";

export interface ExportedConfig {
  yaml: string;
  /** Variables that must be set where the file is applied. */
  variables: string[];
}

/** Where an editor finds the schema in a folder that has this package installed. */
const SCHEMA_FILE = "node_modules/portcullis/docs/portcullis.schema.json";

export async function exportConfig(deps: Deps): Promise<ExportedConfig> {
  const config = await currentConfig(deps);
  const names = new Set<string>();
  const file = {
    version: config.version,
    gateways: config.gateways.map((gateway) => exportGateway(gateway, names)),
    detectors: config.detectors?.map((detector) => exportDetector(detector, names)),
    policies: config.policies?.map(exportPolicy),
    collectors: config.collectors?.map(exportCollector),
    tokens: config.tokens?.map((token) => written(ConfigToken.in, token)),
  };
  const head = `# yaml-language-server: $schema=${SCHEMA_FILE}\n`;
  return { yaml: head + stringify(file, { lineWidth: 0 }), variables: [...names] };
}

function exportGateway(gateway: ConfigFile["gateways"][number], names: Set<string>): object {
  const { registries, consumers, catalog, access_rules, issuers, ...own } = gateway;
  return {
    ...written(ConfigGateway, own),
    catalog: catalog?.map((entry) => written(CatalogEntryInput, entry)),
    access_rules: access_rules?.map((rule) => written(ConfigAccessRule.in, rule)),
    issuers: issuers?.map((issuer) => written(IssuerInput, issuer)),
    registries: registries.map((registry) => exportRegistry(gateway.slug, registry, names)),
    consumers: consumers.map(({ keys, ...consumer }) => ({
      ...written(ConfigConsumer, consumer),
      registries: consumer.registries.map((entry) => written(Attached, entry)),
      keys: keys?.map((key) => written(ConfigKey.in, key)),
    })),
  };
}

const Attached = ConfigConsumer.shape.registries.unwrap().element;

function exportRegistry(gateway: string, registry: ConfigRegistry, names: Set<string>): object {
  const { provider_options, ...own } = registry;
  const options = written(PROVIDER_OPTIONS[registry.provider], provider_options);
  const shown = {
    ...written(ConfigRegistry.in, own),
    ...(Object.keys(options).length ? { provider_options: options } : {}),
  };
  return withVariables(shown, REGISTRY_SECRETS, [gateway, registry.name], names);
}

function exportDetector({ settings, ...own }: DetectorInput, names: Set<string>): object {
  const schema = FILE_SETTINGS.get(own.kind);
  const told = schema ? written(schema, settings) : settings;
  const shown = {
    ...written(DetectorInput, own),
    ...(Object.keys(told).length ? { settings: told } : {}),
  };
  return withVariables(shown, detectorSecretPaths(own.kind), [own.name], names);
}

const exportPolicy = ({ gates, input_rules, output_rules, ...own }: ConfigPolicy): object => ({
  ...written(ConfigPolicy, own),
  gates: writtenList(Gate, gates),
  input_rules: writtenList(ConfigRule, input_rules),
  output_rules: writtenList(ConfigRule, output_rules),
});

/** undefined, which YAML leaves out, when there is nothing to tell. */
const writtenList = (schema: z.ZodObject, list: readonly object[]): object[] | undefined =>
  list.length ? list.map((item) => written(schema, item)) : undefined;

const exportCollector = (collector: ConfigCollector): object => {
  const { overrides, keys, service_clients, ...own } = collector;
  return {
    ...written(ConfigCollector, own),
    overrides: overrides?.map((override) => written(ConfigOverride, override)),
    keys: keys?.map((key) => written(ConfigKey.in, key)),
    service_clients: service_clients?.map((client) => written(ConfigServiceClient.in, client)),
  };
};

/** After the escaping that `written` does, so that these references are not escaped themselves. */
const withVariables = (
  shown: object,
  secrets: readonly string[],
  owner: readonly string[],
  names: Set<string>,
): object =>
  mapSecrets(shown, secrets, (_, path) => {
    const member = path.slice(path.lastIndexOf(".") + 1);
    return `\${${variableName([...owner, member], names)}}`;
  });

/** `DEMO_OPENAI_API_KEY`: the same for the same installation, and never the same for two secrets. */
function variableName(parts: readonly string[], taken: Set<string>): string {
  const plain = parts
    .join("_")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^(\d)/, "_$1");
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`;
  taken.add(name);
  return name;
}

/** Only what differs from the default, in the order of the schema. */
function written(schema: z.ZodObject, value: object): Record<string, unknown> {
  const members = value as Record<string, unknown>;
  const told = Object.entries(schema.shape).flatMap(([name, member]) => {
    const has = member instanceof z.ZodDefault || member instanceof z.ZodPrefault;
    const unsaid = has && Bun.deepEquals(member.parse(undefined), members[name]);
    return unsaid || members[name] === undefined ? [] : [[name, escaped(members[name])]];
  });
  return Object.fromEntries(told);
}

/** `${` in a name or label is meant as it is. */
function escaped(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escaped(member)]));
}
