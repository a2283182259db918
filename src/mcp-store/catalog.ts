/** The catalog of a gateway: listed for administrators, searched for a principal, changed entry by entry. */
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
  listCatalog,
  updateCatalogEntry,
} from "../contract/store-catalog.ts";
import { catalogEntries, catalogEntryTable, findCatalogEntry } from "../db/catalog-entries.ts";
import type { Deps } from "../deps.ts";
import { type Route, route } from "../route.ts";
import { checkEntry } from "./check-entry.ts";
import { runImport } from "./import-catalog.ts";
import { pageOf } from "./page-of.ts";
import { recordEntry, saveEntry } from "./save-entry.ts";
import { findGateway } from "./standing.ts";
import { storeView } from "./store-view.ts";

export const catalogRoutes: Route[] = [
  route(listCatalog, async (deps, { params, query }) => {
    const { gateway_id } = params;
    await findGateway(deps, gateway_id);
    const { principal_sub, groups, category, status, source, q } = query;
    const found = (await catalogEntries(deps.db, gateway_id)).filter(
      (entry) =>
        (category === undefined || entry.category === category) &&
        (status === undefined || entry.status === status) &&
        (source === undefined || entry.source === source) &&
        speaksOf(entry, q),
    );
    const { items, next_cursor } = pageOf(found, query);
    const view = principal_sub
      ? await storeView(deps, gateway_id, { principal_sub, groups: groups?.split(",") })
      : undefined;
    const nobody = { level: null, install_status: null };
    return {
      items: items.map((entry) => ({ ...entry, ...(view?.(entry) ?? nobody) })),
      next_cursor,
    };
  }),
  route(getCatalogEntry, (deps, { params }) => entryAt(deps, params)),
  route(createCatalogEntry, async (deps, call) => {
    const { gateway_id } = call.params;
    await findGateway(deps, gateway_id);
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
    if (before.source === "shipped" && before.updated_at === null) {
      throw new AppError("conflict", "This server is shipped: set its status to hidden instead.");
    }
    await catalogEntryTable.remove(deps.db, { gateway_id, code: before.code });
    await recordEntry(deps, call, { gateway_id, verb: "delete", before, after: null });
    return undefined;
  }),
  route(importCatalog, async (deps, call) => {
    await findGateway(deps, call.params.gateway_id);
    return await runImport(deps, call, call.params.gateway_id, call.body);
  }),
];

function speaksOf({ code, name, vendor, description }: CatalogEntry, q: string | undefined) {
  const text = `${code} ${name} ${vendor} ${description}`.toLowerCase();
  return q === undefined || text.includes(q.toLowerCase());
}

async function entryAt(
  deps: Deps,
  { gateway_id, code }: { gateway_id: string; code: string },
): Promise<CatalogEntry> {
  await findGateway(deps, gateway_id);
  const known = StoreCode.safeParse(code).success;
  const entry = known ? await findCatalogEntry(deps.db, gateway_id, code) : undefined;
  if (!entry) throw new AppError("not_found", `The catalog has no server "${code.slice(0, 200)}".`);
  return entry;
}
