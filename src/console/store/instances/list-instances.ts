/** Lists the instances of Store servers: MCP registries of a gateway with a server code. */
import type { Registry } from "../../../contract/gateway/registries.ts";
import type { Reader } from "../../api.ts";
import { registries } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";

export interface McpInstance extends Registry {
  code: string;
}

export async function listInstances(read: Reader, gateway_id: string): Promise<McpInstance[]> {
  const all = await readAllPages((query) =>
    read(registries.list, { params: { gateway_id }, query }),
  );
  return all.flatMap((registry) => {
    const { code } = registry.provider_options;
    return registry.type === "mcp" && typeof code === "string" ? [{ ...registry, code }] : [];
  });
}

/** Returns the path of the form for a new instance of a server. */
export const newInstancePath = (gateway_id: string, code: string): string =>
  `/gateways/${gateway_id}/store/instances/new?code=${encodeURIComponent(code)}`;
