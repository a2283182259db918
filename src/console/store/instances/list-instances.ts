/** The instances of Store servers: registries of a gateway that carry a server's code. */
import type { Registry } from "../../../contract/registries.ts";
import type { Read } from "../../api.ts";
import { registries } from "../../endpoints.ts";
import { everyPage } from "../../read-all-pages.ts";

export interface Instance extends Registry {
  code: string;
}

export async function instancesOf(read: Read, gateway_id: string): Promise<Instance[]> {
  const all = await everyPage((query) => read(registries.list, { params: { gateway_id }, query }));
  return all.flatMap((registry) => {
    const { code } = registry.provider_options;
    return registry.type === "mcp" && typeof code === "string" ? [{ ...registry, code }] : [];
  });
}

/** Where an instance of a server is made. */
export const newInstancePath = (gateway_id: string, code: string): string =>
  `/gateways/${gateway_id}/store/instances/new?code=${encodeURIComponent(code)}`;
