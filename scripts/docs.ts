/** Writes the pages that are made from code: settings, metrics and the schema of the configuration file. */
import { join } from "node:path";
import { z } from "zod";
import { ConfigFile } from "../src/contract/config-file.ts";
import { OPTIONS, PROVIDER_NAMES } from "../src/contract/registries.ts";
import { METRICS } from "../src/server/metrics.ts";
import { flagOf, SECRET_SETTINGS, type SettingName, Settings } from "../src/settings.ts";

/** By path from the root of the repository. */
export const generatedDocs = (): Record<string, string> => ({
  "docs/settings.md": settingsPage(),
  "docs/metrics.md": metricsPage(),
  "docs/portcullis.schema.json": `${JSON.stringify(configSchema(), null, 2)}\n`,
});

function settingsPage(): string {
  const rows = (Object.keys(Settings.shape) as SettingName[]).map(settingRow);
  return `# Settings

Made from \`src/settings.ts\` by \`npm run docs\`. Each setting is an environment variable, and a flag of
every command unless it is a secret: other users of a machine can read command lines. A flag wins over
the variable. With nothing set, \`portcullis start\` works.

| Variable | Flag | Default | What it does |
|---|---|---|---|
${rows.join("\n")}
`;
}

function settingRow(name: SettingName): string {
  const secret = SECRET_SETTINGS.includes(name);
  const flag = secret ? "none: a secret" : `\`--${flagOf(name)}\``;
  const member = Settings.shape[name];
  const known =
    member instanceof z.ZodDefault
      ? member.def.defaultValue
      : z.toJSONSchema(member, { io: "input", unrepresentable: "any" }).default;
  const fallback = known === undefined ? "" : `\`${String(known)}\``;
  const summary = (member.description ?? "").replaceAll("|", "\\|");
  return `| \`${name}\` | ${flag} | ${fallback} | ${summary} |`;
}

function metricsPage(): string {
  const rows = METRICS.map(({ name, type, labels = [], help }) => {
    const named = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${named} | ${help} |`;
  });
  return `# Metrics

Made from \`src/server/metrics.ts\` by \`npm run docs\`. \`GET /metrics\` answers in the text format of
Prometheus, on every address that the process listens on, each process for itself.

It asks for an administrator token of any role that is not limited to some gateways; make one with
\`portcullis token create --name prometheus --role viewer\`. \`METRICS_PUBLIC=true\` lets everybody read who
reaches the address. No label names a consumer, a user or a client; registries are told by their ids.

\`\`\`yaml
scrape_configs:
  - job_name: portcullis
    authorization:
      credentials_file: /etc/prometheus/portcullis-token
    static_configs:
      - targets: ["127.0.0.1:8080"]
\`\`\`

| Metric | Type | Labels | Tells |
|---|---|---|---|
${rows.join("\n")}

Everything is counted from the start of the process, a registry also from its last change of address or
credential. What to watch first: \`portcullis_database_up == 0\`, \`portcullis_rate_limit_store_local == 1\`,
\`portcullis_upstream_circuit_open == 1\`, and any increase of \`portcullis_events_lost_total\`.
`;
}

type Schema = Record<string, unknown>;

function configSchema(): Schema {
  const schema = z.toJSONSchema(ConfigFile, { io: "input", override: allowVariables });
  return { title: "Portcullis configuration file", ...withKinds(schema as Schema) };
}

/** A text may be `${NAME}` wherever it stands, which no pattern or list of values foresees. */
function allowVariables({ jsonSchema }: { jsonSchema: Schema }): void {
  if (jsonSchema.type !== "string") return;
  const { description: _, default: __, ...checks } = jsonSchema;
  const { pattern = "", format, enum: values } = checks;
  if (!format && !values && new RegExp(String(pattern)).test(`\${NAME}`)) return;
  for (const name of Object.keys(checks)) delete jsonSchema[name];
  jsonSchema.anyOf = [checks, { type: "string", pattern: "\\$\\{" }];
}

/** Says for each provider what its options are, where the plain schema takes any. */
function withKinds(schema: Schema): Schema {
  const registry = find(schema, ["properties", "gateways", "items", "properties", "registries"]);
  const items = registry.items as Schema;
  items.allOf = PROVIDER_NAMES.map((kind) => {
    // The provider of an MCP server is left out.
    const member = kind === "mcp" ? "type" : "provider";
    const options = z.toJSONSchema(OPTIONS[kind], { io: "input", override: allowVariables });
    const { $schema: _, ...provider_options } = options as Schema;
    return {
      if: { properties: { [member]: { const: kind } }, required: [member] },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema names it so
      then: { properties: { provider_options } },
    };
  });
  return schema;
}

const find = (schema: Schema, path: readonly string[]): Schema =>
  path.reduce<Schema>((inner, name) => inner[name] as Schema, schema);

if (import.meta.main) {
  for (const [path, text] of Object.entries(generatedDocs())) {
    await Bun.write(join(import.meta.dir, "..", path), text);
  }
}
