/** Finds a catalog entry that the Store shows. A hidden entry gives the same error as a missing one. */
import { AppError } from "../../contract/errors.ts";
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import { findCatalogEntry } from "../../db/tables/catalog-entries.ts";
import type { Deps } from "../../deps.ts";

export async function findVisibleEntry(
  { db }: Deps,
  gateway_id: string,
  code: string,
): Promise<CatalogEntry> {
  const entry = await findCatalogEntry(db, gateway_id, code);
  if (entry?.status === "shown") return entry;
  throw new AppError("not_found", `The Store has no server with the code "${code}".`);
}
