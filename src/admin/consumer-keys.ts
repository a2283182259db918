/** Operations on the keys of a consumer. */

import { AppError } from "../contract/errors.ts";
import { consumerKeys } from "../contract/gateway/consumer-keys.ts";
import { consumerTable } from "../db/tables/consumers.ts";
import { consumerKeyTable } from "../db/tables/keys.ts";
import type { Route } from "../route.ts";
import { keyRoutes } from "./key-routes.ts";

export const consumerKeyRoutes: Route[] = keyRoutes(consumerKeys, {
  table: consumerKeyTable,
  prefix: "ag_",
  async findOwner(deps, { gateway_id = "", consumer_id = "" }) {
    if (await consumerTable.find(deps.db, { id: consumer_id, gateway_id })) return { gateway_id };
    throw new AppError("not_found", `Unknown consumer ${consumer_id}.`);
  },
});
