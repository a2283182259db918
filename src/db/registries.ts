/** The registries table. Secrets in `auth` and `provider_options` are sealed here. */
import type { Capability, Registry } from "../contract/registries.ts";
import { table } from "./table.ts";

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
