/** Converts the guard of a gateway or consumer: the file names its collector, the API has the id. */
import {
  completeGuard,
  type GuardPatch,
  type GuardSettings,
} from "../contract/guard/guard-settings.ts";
import type { Deps } from "../deps.ts";
import { resolveName } from "./references.ts";
import type { ConfigGuard } from "./schema.ts";

/** `names`: names of collectors by id. */
export function toConfigGuard(
  { collector_id, ...settings }: GuardSettings,
  names: ReadonlyMap<string, string>,
): ConfigGuard {
  return { collector: names.get(collector_id ?? "") ?? null, ...settings };
}

/** Guard of a gateway that was just created. */
export const NEW_GUARD: ConfigGuard = toConfigGuard(completeGuard(), new Map());

export async function toGuardPatch(
  deps: Deps,
  { collector, ...settings }: ConfigGuard,
): Promise<GuardPatch> {
  const collector_id =
    collector && (await resolveName(deps, "collector", collector, "guard.collector"));
  return { ...settings, collector_id };
}
