/** Catalog entries of a gateway's Store in a configuration file. */
import { perform } from "../../admin/perform.ts";
import {
  CatalogEntryInput,
  createCatalogEntry,
  deleteCatalogEntry,
  updateCatalogEntry,
} from "../../contract/store/catalog.ts";
import { catalogEntryTable, findCatalogEntry } from "../../db/tables/catalog-entries.ts";
import { type ConfigResource, diffItems, removeItem } from "../config-resource.ts";

export const catalogEntries: ConfigResource<CatalogEntryInput> = {
  noun: "catalog_entry",
  list: "catalog",
  id: "code",
  schema: CatalogEntryInput,
  current: async ({ db }) =>
    (await catalogEntryTable.all(db)).map(({ gateway_id, entry }) => ({
      id: entry.code,
      parent_id: gateway_id,
      item: entry,
    })),
  identity: ({ code }) => code,
  diff: diffItems,
  async save({ deps, actor }, { gateway_id = "" }, entry) {
    const { code, ...body } = entry;
    // A shipped entry has no row, but exists: the file changes it.
    const isKnown = await findCatalogEntry(deps.db, gateway_id, code);
    if (isKnown) {
      await perform(deps, actor, updateCatalogEntry, { params: { gateway_id, code }, body });
    } else {
      await perform(deps, actor, createCatalogEntry, { params: { gateway_id }, body: entry });
    }
    return code;
  },
  remove: (context, params) => removeItem(context, deleteCatalogEntry, params),
};
