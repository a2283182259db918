/** Writes a catalog entry of a gateway and its audit record. */
import { AppError } from "../contract/errors.ts";
import type { CatalogEntry, CatalogEntryInput } from "../contract/store/catalog.ts";
import { type AuditAuthor, type AuditChange, recordChange } from "../db/record-change.ts";
import { catalogEntryTable, findCatalogEntry } from "../db/tables/catalog-entries.ts";
import type { Deps } from "../deps.ts";

export async function saveCatalogEntry(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  entry: { input: CatalogEntryInput; source: CatalogEntry["source"]; before?: CatalogEntry },
): Promise<CatalogEntry> {
  const { input, source, before } = entry;
  const { code } = input;
  const changed = { source, entry: input, updated_at: deps.now().toISOString() };
  const row = await catalogEntryTable.find(deps.db, { gateway_id, code });
  if (row) await catalogEntryTable.update(deps.db, row.id, changed);
  else await catalogEntryTable.insert(deps.db, { id: deps.newId(), gateway_id, code, ...changed });
  const after = await findCatalogEntry(deps.db, gateway_id, code);
  if (!after) throw new AppError("internal");
  const verb = source === "imported" && !before ? "import" : before ? "update" : "create";
  await recordCatalogEntry(deps, author, { gateway_id, verb, before: before ?? null, after });
  return after;
}

export async function recordCatalogEntry(
  deps: Deps,
  author: AuditAuthor,
  change: {
    gateway_id: string;
    verb: AuditChange["verb"];
    before: CatalogEntry | null;
    after: CatalogEntry | null;
  },
): Promise<void> {
  const { gateway_id, verb, before, after } = change;
  await recordChange(deps, author, {
    resource: "catalog_entry",
    verb,
    id: (after ?? before)?.code ?? "",
    gateway_id,
    before,
    after,
  });
}
