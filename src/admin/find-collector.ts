/** Finds the collector in a path. */
import type { Collector } from "../contract/collectors.ts";
import { AppError } from "../contract/errors.ts";
import { collectorTable } from "../db/tables/collectors.ts";
import type { Deps } from "../deps.ts";

/** Throws if it does not exist. */
export async function findCollector(
  deps: Deps,
  { collector_id = "" }: Record<string, string>,
): Promise<Collector> {
  const row = await collectorTable.find(deps.db, { id: collector_id });
  if (!row) throw new AppError("not_found", `Unknown collector ${collector_id}.`);
  return row;
}
