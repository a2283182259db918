/** The registries table. Secrets in `auth` and `provider_options` are sealed here. */
import type { CloudAuth } from "../../contract/gateway/cloud-auth.ts";
import type { ApiKeyAuth, Capability, Kind, Registry } from "../../contract/gateway/registries.ts";
import type { McpAuth, McpOptions, ServerField } from "../../contract/store/mcp-registries.ts";
import type { SealContext } from "../../lib/crypto/seal.ts";
import type { Db } from "../db.ts";
import { sealContextOf } from "../sealed-columns.ts";
import { table } from "../table.ts";

export interface RegistryRow extends Omit<Registry, "capabilities"> {
  capabilities: Capability[] | null;
}

export const registryTable = table<RegistryRow>({
  name: "registries",
  columns: {
    id: "text",
    gateway_id: "text",
    name: "text",
    type: "text",
    provider: "text",
    provider_options: "json",
    auth: "json",
    capabilities: "json",
    enabled: "bool",
    allow_private: "bool",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["name", "provider"],
  sort: ["created_at", "name", "provider", "updated_at"],
});

/** The context of a registry's secret at a path such as `auth.api_key`. */
export const registrySecret = (id: string, path: string): SealContext =>
  sealContextOf(path.startsWith("auth.") ? "registries.auth" : "registries.provider_options", id);

/** An AI upstream. */
export interface LlmRegistryRow extends RegistryRow {
  type: "llm";
  provider: Kind;
  auth: ApiKeyAuth | CloudAuth | null;
}

/** An MCP server: with a code, an instance of a Store server. */
export interface McpRegistryRow extends RegistryRow {
  type: "mcp";
  provider: "mcp";
  provider_options: StoredMcpOptions & Record<string, unknown>;
  auth: McpAuth | null;
}

/** Options with defaults from the catalog filled in. */
export interface StoredMcpOptions extends Omit<McpOptions, "url" | "fields"> {
  url: string;
  fields: ServerField[];
}

/** The type of a row determines its options. */
export const isLlm = (row: RegistryRow): row is LlmRegistryRow => row.type === "llm";
export const isMcp = (row: RegistryRow): row is McpRegistryRow => row.type === "mcp";

/** Returns the MCP registries of a gateway, including disabled ones, sorted by name. */
export async function mcpRegistries(db: Db, gateway_id: string): Promise<McpRegistryRow[]> {
  const rows = (await registryTable.all(db, { gateway_id, type: "mcp" })).filter(isMcp);
  const key = ({ name, id }: McpRegistryRow) => `${name.toLowerCase()} ${id}`;
  return rows.sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Returns whether a registry has not been saved since this version of it was read. */
export async function isNewestVersion(
  db: Db,
  { id, version }: Pick<RegistryRow, "id" | "version">,
): Promise<boolean> {
  const row = await db.one<{ version: number }>("SELECT version FROM registries WHERE id = $1", id);
  return row !== undefined && Number(row.version) === version;
}
