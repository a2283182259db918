/** Service clients of a collector in a configuration file. */

import { AppError } from "../../contract/errors.ts";
import { serviceClients as endpoints } from "../../contract/guard/collector-keys.ts";
import { serviceClientTable } from "../../db/tables/keys.ts";
import type { ConfigResource } from "../config-resource.ts";
import { keyResource } from "../hashed-resource.ts";
import { ConfigServiceClient } from "../schema.ts";

const clients = keyResource(endpoints, {
  list: "service_clients",
  schema: ConfigServiceClient,
  table: serviceClientTable,
});

/** The `client_id` of a service client is its id. */
export const serviceClients: ConfigResource<ConfigServiceClient> = {
  ...clients,
  current: async (deps) =>
    (await clients.current(deps)).map((stored) => ({
      ...stored,
      item: { ...stored.item, client_id: stored.id },
    })),
  async save(context, parent, { client_id, ...item }, id) {
    if (id && client_id && client_id !== id) {
      throw new AppError("conflict", "client_id: cannot be changed; set a new secret as well");
    }
    return await clients.save(context, parent, { ...item, newId: client_id }, id);
  },
};
