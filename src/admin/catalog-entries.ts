/** The catalog of a gateway, entry by entry: what is added, changed, hidden and imported. */
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { StoreCode } from "../contract/mcp-registries.ts";
import {
  type CatalogEntry,
  CatalogEntryInput,
  createCatalogEntry,
  deleteCatalogEntry,
  getCatalogEntry,
  importCatalog,
  updateCatalogEntry,
} from "../contract/store-catalog.ts";
import { catalogEntryTable, findCatalogEntry } from "../db/catalog-entries.ts";
import type { Deps } from "../deps.ts";
import { type Route, route } from "../route.ts";
import { checkEntry } from "./check-entry.ts";
import { runImport } from "./import-catalog.ts";
import { gatewayExists } from "./resource-routes.ts";
import { recordEntry, saveEntry } from "./save-entry.ts";

export const catalogEntryRoutes: Route[] = [
  route(getCatalogEntry, (deps, { params }) => entryAt(deps, params)),
  route(createCatalogEntry, async (deps, call) => {
    const { gateway_id } = call.params;
    await gatewayExists(deps, call.params);
    checkEntry(call.body);
    if (await findCatalogEntry(deps.db, gateway_id, call.body.code)) {
      throw new AppError("already_exists", "code: the catalog has this server already.");
    }
    return await saveEntry(deps, call, gateway_id, { input: call.body, source: "custom" });
  }),
  route(updateCatalogEntry, async (deps, call) => {
    const { gateway_id } = call.params;
    const before = await entryAt(deps, call.params);
    const { source, needs_admin_setup: _, updated_at: __, ...current } = before;
    const input = decode(CatalogEntryInput, { ...current, ...call.body });
    checkEntry(input);
    return await saveEntry(deps, call, gateway_id, { input, source, before });
  }),
  route(deleteCatalogEntry, async (deps, call) => {
    const { gateway_id } = call.params;
    const before = await entryAt(deps, call.params);
    if (before.updated_at === null) {
      throw new AppError("conflict", "This server is shipped: set its status to hidden instead.");
    }
    await catalogEntryTable.remove(deps.db, { gateway_id, code: before.code });
    await recordEntry(deps, call, { gateway_id, verb: "delete", before, after: null });
    return undefined;
  }),
  route(importCatalog, async (deps, call) => {
    await gatewayExists(deps, call.params);
    return await runImport(deps, call, call.params.gateway_id, call.body);
  }),
];

async function entryAt(
  deps: Deps,
  { gateway_id, code }: { gateway_id: string; code: string },
): Promise<CatalogEntry> {
  await gatewayExists(deps, { gateway_id });
  const known = StoreCode.safeParse(code).success;
  const entry = known ? await findCatalogEntry(deps.db, gateway_id, code) : undefined;
  if (!entry) throw new AppError("not_found", `The catalog has no server "${code.slice(0, 200)}".`);
  return entry;
}
