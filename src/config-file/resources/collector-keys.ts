/** Keys of a collector in a configuration file. */
import { collectorKeys as endpoints } from "../../contract/guard/collector-keys.ts";
import { collectorKeyTable } from "../../db/tables/keys.ts";
import { keyResource } from "../hashed-resource.ts";
import { ConfigKey } from "../schema.ts";

export const collectorKeys = keyResource(endpoints, {
  list: "keys",
  schema: ConfigKey,
  table: collectorKeyTable,
});
