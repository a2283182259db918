/** Describes installs for the API: their state, and which requirements are missing. */
import type { Install } from "../../contract/store/installs.ts";
import { catalogEntries } from "../../db/tables/catalog-entries.ts";
import { mcpRegistries } from "../../db/tables/registries.ts";
import type { StoreInstallRow } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { createAccessReader } from "../access/principal-access.ts";
import { findSuspendedInstances } from "../vault/bind-server.ts";
import { computeInstallState } from "./install-state.ts";
import { readRequirements } from "./requirements.ts";

/** `rows` belong to one gateway, whose data is read once. `sign_in` is the principal's; undefined: an administrator calls. */
export async function describeInstalls(
  deps: Deps,
  gateway_id: string,
  rows: readonly StoreInstallRow[],
  sign_in?: string,
): Promise<Install[]> {
  const readAccess = await createAccessReader(deps, gateway_id);
  const entries = new Map(
    (await catalogEntries(deps.db, gateway_id)).map((entry) => [entry.code, entry]),
  );
  const registries = await mcpRegistries(deps.db, gateway_id);
  const instances = new Map(registries.map((row) => [row.id, row]));
  const suspended = await findSuspendedInstances(deps, gateway_id, registries);
  const installs: Install[] = [];
  for (const { config, filled_by, ...row } of rows) {
    const instance = instances.get(row.instance_id);
    // Deleted with its installs since the rows were read.
    if (!instance) continue;
    const entry = entries.get(row.code);
    const access = await readAccess({ principal_sub: row.principal_sub });
    const { level } = access.levelFor(entry ?? { code: row.code, category: "" });
    installs.push({
      ...row,
      name: instance.name,
      ...computeInstallState(row, {
        at: deps.now(),
        level,
        instance_enabled: instance.enabled,
        in_catalog: entry !== undefined,
        server_changed: suspended.has(instance.id),
      }),
      ...(await readRequirements(deps, { ...row, config, filled_by }, instance, sign_in)),
    });
  }
  return installs;
}
