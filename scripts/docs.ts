/** Generates the pages about settings, metrics, detectors and permissions, and the schema of the configuration file. */
import { join } from "node:path";
import { z } from "zod";
import { ConfigFile, DETECTOR_SETTINGS } from "../src/config-file/schema.ts";
import { KIND_OPTIONS, PROVIDER_OPTIONS } from "../src/contract/gateway/registries.ts";
import { Comparison, Condition } from "../src/contract/guard/conditions.ts";
import { METRICS } from "../src/server/metrics.ts";
import {
  readDefault,
  SECRET_SETTINGS,
  type SettingName,
  Settings,
  toFlag,
} from "../src/settings.ts";
import { detectorsPage } from "./detectors-page.ts";
import { permissionsPage } from "./permissions-page.ts";

/** Returns the generated files by path, relative to the root of the repository. */
export const generatedDocs = (): Record<string, string> => ({
  "docs/settings.md": settingsPage(),
  "docs/metrics.md": metricsPage(),
  "docs/detectors.md": detectorsPage(),
  "docs/permissions.md": permissionsPage(),
  "docs/portcullis.schema.json": `${JSON.stringify(configSchema(), null, 2)}\n`,
});

function settingsPage(): string {
  const rows = (Object.keys(Settings.shape) as SettingName[]).map(settingRow);
  return `# Settings

Generated from \`src/settings.ts\` by \`npm run docs\`. Each setting is an environment variable and a flag of every command. Secrets
have no flag, because other users of a machine can read command lines. A flag overrides the variable. \`portcullis start\` works without
any setting.

| Variable | Flag | Default | Description |
|---|---|---|---|
${rows.join("\n")}
`;
}

function settingRow(name: SettingName): string {
  const secret = SECRET_SETTINGS.includes(name);
  const flag = secret ? "none (secret)" : `\`--${toFlag(name)}\``;
  const member = Settings.shape[name];
  const initial = readDefault(name);
  const fallback = initial === undefined ? "" : `\`${initial}\``;
  const summary = (member.description ?? "").replaceAll("|", "\\|");
  return `| \`${name}\` | ${flag} | ${fallback} | ${summary} |`;
}

function metricsPage(): string {
  const rows = METRICS.map(({ name, type, labels = [], help }) => {
    const named = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${named} | ${help} |`;
  });
  return `# Metrics

Generated from \`src/server/metrics.ts\` by \`npm run docs\`. \`GET /metrics\` returns the metrics of one node in the Prometheus text
format, on every address that the process listens on.

It requires an administrator token of any role without a gateway scope. Create one with
\`portcullis token create --name prometheus --role viewer\`. \`METRICS_PUBLIC=true\` removes this requirement. No label contains a
consumer, a user or a client; registries are identified by id. With several workers (\`PORTCULLIS_WORKERS\`), each worker returns
the metrics of all of them and of the supervisor, and every series has the label \`worker\`: \`supervisor\`, \`0\`, \`1\`, ….

\`\`\`yaml
scrape_configs:
  - job_name: portcullis
    authorization:
      credentials_file: /etc/prometheus/portcullis-token
    static_configs:
      - targets: ["127.0.0.1:8080"]
\`\`\`

| Metric | Type | Labels | Description |
|---|---|---|---|
${rows.join("\n")}

Counters start at zero when the process starts; those of a registry also when its address or credential
changes. Watch these first: \`portcullis_database_up == 0\`, \`portcullis_rate_limit_store_local == 1\`,
\`portcullis_upstream_circuit_open == 1\`, \`portcullis_config_file_applied == 0\`, any increase of \`portcullis_events_lost_total\`, and
\`portcullis_events_waiting\` that does not return to 0: the database accepts no writes.
`;
}

type Schema = Record<string, unknown>;
/** Part of a generated schema, and its path. */
interface SchemaPart {
  zodSchema: z.core.$ZodType;
  jsonSchema: Schema;
  path: readonly PropertyKey[];
}

function configSchema(): Schema {
  const schema = jsonSchema(ConfigFile);
  const gateway = find(schema, ["properties", "gateways", "items", "properties"]);
  find(gateway, ["registries", "items"]).allOf = [
    ...optionsBy("provider", "provider_options", KIND_OPTIONS),
    // An MCP server has no provider.
    ...optionsBy("type", "provider_options", { mcp: PROVIDER_OPTIONS.mcp }),
  ];
  const detector = find(schema, ["properties", "detectors", "items"]);
  detector.allOf = optionsBy("kind", "settings", Object.fromEntries(DETECTOR_SETTINGS));
  const { $schema: _, ...condition } = jsonSchema(Condition);
  return { title: "Portcullis configuration file", ...schema, $defs: { Condition: condition } };
}

const jsonSchema = (shape: z.ZodType): Schema =>
  z.toJSONSchema(shape, {
    io: "input",
    override(context) {
      allowVariables(context);
      referToConditions(context);
    },
  }) as Schema;

/** Replaces nested conditions by a reference, since the schema is recursive. */
function referToConditions({ zodSchema, jsonSchema, path }: SchemaPart): void {
  const isDefinition = path.length === 0;
  if (isDefinition || !(zodSchema instanceof z.ZodUnion)) return;
  if (!zodSchema.options.includes(Comparison)) return;
  for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
  jsonSchema.$ref = "#/$defs/Condition";
}

/** Allows `${NAME}` in every string, also in those with a pattern, format or list of values. */
function allowVariables({ jsonSchema }: SchemaPart): void {
  if (jsonSchema.type !== "string") return;
  const { description: _, default: __, ...checks } = jsonSchema;
  const { pattern = "", format, enum: values } = checks;
  if (!format && !values && new RegExp(String(pattern)).test(`\${NAME}`)) return;
  for (const name of Object.keys(checks)) delete jsonSchema[name];
  jsonSchema.anyOf = [checks, { type: "string", pattern: "\\$\\{" }];
}

/** Restricts the options by kind, which the plain schema leaves open. */
const optionsBy = (
  kind: string,
  member: string,
  shapes: Readonly<Record<string, z.ZodType>>,
): Schema[] =>
  Object.entries(shapes).map(([name, shape]) => {
    const { $schema: _, ...options } = jsonSchema(shape);
    return {
      if: { properties: { [kind]: { const: name } }, required: [kind] },
      // biome-ignore lint/suspicious/noThenProperty: keyword of JSON Schema
      then: { properties: { [member]: options } },
    };
  });

const find = (schema: Schema, path: readonly string[]): Schema =>
  path.reduce<Schema>((inner, name) => inner[name] as Schema, schema);

if (import.meta.main) {
  for (const [path, text] of Object.entries(generatedDocs())) {
    await Bun.write(join(import.meta.dir, "..", path), text);
  }
}
