/** Finds and creates instances of a Store server: the MCP registries of a gateway with its code. */
import { AppError } from "../../contract/errors.ts";
import { type CatalogEntry, listPrincipalFields } from "../../contract/store/catalog.ts";
import type { McpAuth } from "../../contract/store/mcp-registries.ts";
import { changeConfig } from "../../db/config-revision.ts";
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import {
  isMcp,
  type McpRegistryRow,
  mcpRegistries,
  registryTable,
} from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";

/** Returns all instances of a code, disabled ones included, sorted by name. */
export async function listInstances(
  deps: Deps,
  gateway_id: string,
  code: string,
): Promise<McpRegistryRow[]> {
  const rows = await mcpRegistries(deps.db, gateway_id);
  return rows.filter((row) => row.provider_options.code === code);
}

/** Returns an instance by id. Rejects a disabled one, and one of another server. */
export async function findEnabledInstance(
  deps: Deps,
  gateway_id: string,
  code: string,
  instance_id: string,
): Promise<McpRegistryRow> {
  const row = await registryTable.find(deps.db, { id: instance_id, gateway_id, type: "mcp" });
  if (!row || !isMcp(row)) {
    throw new AppError("not_found", `No instance has the id ${instance_id}.`);
  }
  if (row.provider_options.code !== code) {
    throw new AppError("validation_failed", "instance_id: belongs to another server");
  }
  if (!row.enabled)
    throw new AppError("validation_failed", "instance_id: this instance is disabled");
  return row;
}

/** Creates the instance at the first install of a server that needs no setup by an administrator. */
export async function createInstance(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  entry: CatalogEntry,
): Promise<McpRegistryRow> {
  const at = deps.now().toISOString();
  const row: McpRegistryRow = {
    id: deps.newId(),
    gateway_id,
    name: await findFreeName(deps, gateway_id, entry.name),
    type: "mcp",
    provider: "mcp",
    provider_options: {
      code: entry.code,
      url: entry.url,
      transport: entry.transport,
      headers: {},
      fields: listPrincipalFields(entry),
      allowed_tools: null,
      tool_aliases: {},
    },
    auth: toInstanceAuth(entry),
    capabilities: null,
    enabled: true,
    allow_private: entry.allow_private,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  await changeConfig(deps.db, async (db) => {
    await registryTable.insert(db, row);
    await recordChange({ ...deps, db }, author, {
      resource: "registry",
      verb: "create",
      id: row.id,
      gateway_id,
      before: null,
      after: { ...row },
    });
  });
  return row;
}

function toInstanceAuth({ auth }: CatalogEntry): McpAuth | null {
  if (auth.type === "oauth") {
    return { type: "forwarded", client_id: null, client_secret: null, scopes: auth.scopes };
  }
  if (auth.type === "key") {
    return { type: "principal_key", header: auth.header, scheme: auth.scheme };
  }
  return null;
}

/** Leaves room for a numeric suffix. */
const MAX_NAME_LENGTH = 245;

async function findFreeName(deps: Deps, gateway_id: string, base: string): Promise<string> {
  const rows = await registryTable.all(deps.db, { gateway_id });
  const taken = new Set(rows.map(({ name }) => name.toLowerCase()));
  let name = base;
  for (let count = 2; taken.has(name.toLowerCase()); count += 1) {
    name = `${base.slice(0, MAX_NAME_LENGTH)} ${count}`;
  }
  return name;
}
