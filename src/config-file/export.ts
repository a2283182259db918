/** Writes the installation as a configuration file: upstream secrets as `${NAME}`, defaults left out. */
import { stringify } from "yaml";
import type { Deps } from "../deps.ts";
import { mapSecrets } from "../lib/json/secret-paths.ts";
import type { ConfigResource } from "./config-resource.ts";
import { omitDefaults } from "./omit-defaults.ts";
import { type CurrentItems, loadCurrentItems, RESOURCES } from "./resources/all.ts";

export interface ExportedConfig {
  yaml: string;
  /** Variables that must be set where the file is applied. */
  variables: string[];
}

/** Path of the schema in a folder that has this package installed, for editors. */
const SCHEMA_FILE = "node_modules/portcullis/docs/portcullis.schema.json";

export async function exportConfig(deps: Deps): Promise<ExportedConfig> {
  const current = await loadCurrentItems(deps);
  const variables = new Set<string>();
  const lists = exportLists(RESOURCES, current, { id: "", names: [] }, variables);
  const header = `# yaml-language-server: $schema=${SCHEMA_FILE}\n`;
  const yaml = header + stringify({ version: 1, ...lists }, { lineWidth: 0 });
  return { yaml, variables: [...variables] };
}

function exportLists(
  resources: readonly ConfigResource[],
  current: CurrentItems,
  parent: { id: string; names: readonly string[] },
  variables: Set<string>,
): Record<string, object[]> {
  const lists = resources.map((resource) => {
    const { identity, schema, schemaOf, secretsOf, children = [] } = resource;
    const items = current.of(resource, parent.id).map(({ id, item }) => {
      const names = [...parent.names, identity(item)];
      const members = escapeReferences(omitDefaults(schemaOf?.(item) ?? schema, item)) as object;
      // After the escaping, which must not change these references.
      const written = mapSecrets(members, secretsOf?.(item) ?? [], (_, path) => {
        const member = path.slice(path.lastIndexOf(".") + 1);
        return `\${${newVariable([...names, member], variables)}}`;
      });
      return { ...written, ...exportLists(children, current, { id, names }, variables) };
    });
    return [resource.list, items];
  });
  return Object.fromEntries(lists);
}

/** `DEMO_OPENAI_API_KEY`: stable for an installation, and unique. */
function newVariable(parts: readonly string[], taken: Set<string>): string {
  const base = parts
    .join("_")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^(\d)/, "_$1");
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  taken.add(name);
  return name;
}

/** Writes `$${` for `${` in names and labels, so that it is not read as a variable. */
function escapeReferences(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return value.map(escapeReferences);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, escapeReferences(member)]),
  );
}
