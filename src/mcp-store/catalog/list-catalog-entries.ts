/** Lists catalog entries: filtered, and with the status of a principal where one is given. */
import type { z } from "zod";
import type { CatalogEntry, listCatalog } from "../../contract/store/catalog.ts";
import { catalogEntries } from "../../db/tables/catalog-entries.ts";
import type { Deps } from "../../deps.ts";
import { paginate } from "../../paginate.ts";
import { findGateway } from "../access/principal-access.ts";
import { createEntryStatusReader } from "./entry-status.ts";

export async function listCatalogEntries(
  deps: Deps,
  gateway_id: string,
  query: z.output<(typeof listCatalog)["query"]>,
): Promise<z.input<(typeof listCatalog)["reply"]>> {
  await findGateway(deps, gateway_id);
  const { principal_sub, groups, category, status, source, q } = query;
  const found = (await catalogEntries(deps.db, gateway_id)).filter(
    (entry) =>
      (category === undefined || entry.category === category) &&
      (status === undefined || entry.status === status) &&
      (source === undefined || entry.source === source) &&
      matchesText(entry, q ?? ""),
  );
  const { items, next_cursor } = paginate(found, query, ({ code }) => code);
  const readStatus = principal_sub
    ? await createEntryStatusReader(deps, gateway_id, {
        principal_sub,
        groups: groups?.split(",").map((group) => group.trim()),
      })
    : () => ({ level: null, install_status: null });
  return { items: items.map((entry) => ({ ...entry, ...readStatus(entry) })), next_cursor };
}

/** Returns whether the code, name, vendor or description of a server contains `text`. */
export function matchesText(
  { code, name, vendor, description }: CatalogEntry,
  text: string,
): boolean {
  return `${code} ${name} ${vendor} ${description}`.toLowerCase().includes(text.toLowerCase());
}

/** Returns whether the code, name, vendor, category or description of a server contain every word of `text`. */
export function matchesWords(entry: CatalogEntry, text: string): boolean {
  const { code, name, vendor, category, description } = entry;
  const searched = [code, name, vendor, category, description].join(" ").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
