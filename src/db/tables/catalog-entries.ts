/** The catalog of a gateway: the shipped entries with the gateway's additions, changes and hidden entries. */
import { SHIPPED_CATALOG } from "../../contract/gateway/shipped-catalog.ts";
import {
  type CatalogEntry,
  type CatalogEntryInput,
  needsAdminSetup,
} from "../../contract/store/catalog.ts";
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface CatalogEntryRow {
  id: string;
  gateway_id: string;
  code: string;
  source: CatalogEntry["source"];
  entry: CatalogEntryInput;
  updated_at: string;
}

export const catalogEntryTable = table<CatalogEntryRow>({
  name: "catalog_entries",
  columns: {
    id: "text",
    gateway_id: "text",
    code: "text",
    source: "text",
    entry: "json",
    updated_at: "text",
  },
  search: ["code"],
  sort: ["code"],
});

/** Returns all entries, including hidden ones, sorted by name and code. */
export async function catalogEntries(db: Db, gateway_id: string): Promise<CatalogEntry[]> {
  const entries = new Map(SHIPPED_CATALOG.map((entry) => [entry.code, asShipped(entry)]));
  for (const row of await catalogEntryTable.all(db, { gateway_id })) {
    entries.set(row.code, asStored(row));
  }
  const key = ({ name, code }: CatalogEntry) => `${name.toLowerCase()} ${code}`;
  return [...entries.values()].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

export async function findCatalogEntry(
  db: Db,
  gateway_id: string,
  code: string,
): Promise<CatalogEntry | undefined> {
  const row = await catalogEntryTable.find(db, { gateway_id, code });
  if (row) return asStored(row);
  const shipped = SHIPPED_CATALOG.find((entry) => entry.code === code);
  return shipped && asShipped(shipped);
}

const asStored = ({ entry, source, updated_at }: CatalogEntryRow): CatalogEntry => ({
  ...entry,
  source,
  needs_admin_setup: needsAdminSetup(entry),
  updated_at,
});

const asShipped = (entry: CatalogEntryInput): CatalogEntry => ({
  ...entry,
  source: "shipped",
  needs_admin_setup: needsAdminSetup(entry),
  updated_at: null,
});
