/** The tool store_search: finds servers that the principal can install or request. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { catalogEntries } from "../../db/tables/catalog-entries.ts";
import { createEntryStatusReader } from "../catalog/entry-status.ts";
import { matchesWords } from "../catalog/list-catalog-entries.ts";
import type { PrincipalSession } from "./session.ts";
import { textResult } from "./tool-result.ts";

const MAX_RESULTS = 50;

export async function storeSearch(
  { deps, caller }: PrincipalSession,
  { query, category }: { query: string; category?: string | undefined },
): Promise<CallToolResult> {
  const readStatus = await createEntryStatusReader(deps, caller.gateway_id, caller);
  const found = (await catalogEntries(deps.db, caller.gateway_id))
    .filter(
      (entry) =>
        entry.status === "shown" &&
        (category ?? entry.category) === entry.category &&
        matchesWords(entry, query),
    )
    .map((entry) => {
      const { code, name, vendor, category, description } = entry;
      const { level, install_status } = readStatus(entry);
      return { code, name, vendor, category, description, level, install_status };
    })
    .filter(({ level }) => level !== "none");
  const items = found.slice(0, MAX_RESULTS);
  const lines = items.map(
    ({ code, name, description, install_status }) =>
      `${code}: ${name}. ${description} (${install_status})`,
  );
  const more = found.length - items.length;
  if (more > 0) lines.push(`${more} more results. Use a narrower query.`);
  return textResult(lines.join("\n") || "No server matches.", { items, more });
}
