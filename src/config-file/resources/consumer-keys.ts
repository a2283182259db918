/** Keys of a consumer in a configuration file. */
import { consumerKeys as endpoints } from "../../contract/gateway/consumer-keys.ts";
import { consumerKeyTable } from "../../db/tables/keys.ts";
import { keyResource } from "../hashed-resource.ts";
import { ConfigKey } from "../schema.ts";

export const consumerKeys = keyResource(endpoints, {
  list: "keys",
  schema: ConfigKey,
  table: consumerKeyTable,
});
