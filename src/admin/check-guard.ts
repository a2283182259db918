/** Rejects a guard whose collector belongs to another gateway, whose administrators would see the traffic of this one. */
import { AppError } from "../contract/errors.ts";
import type { GuardSettings } from "../contract/guard/guard-settings.ts";
import { collectorTable } from "../db/tables/collectors.ts";
import type { Deps } from "../deps.ts";

export async function checkGuard(
  deps: Deps,
  { collector_id }: GuardSettings,
  gateway_id: string,
): Promise<void> {
  if (collector_id === null) return;
  const collector = await collectorTable.find(deps.db, { id: collector_id });
  if (collector && (collector.gateway_id ?? gateway_id) === gateway_id) return;
  throw new AppError("validation_failed", "guard.collector_id: is not a collector of this gateway");
}
