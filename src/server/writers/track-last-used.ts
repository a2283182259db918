/** When keys and tokens were last used: remembered in memory, written every few seconds. */
import type { Db } from "../../db/db.ts";
import { USED_TABLES, type UsedTable, writeLastUsed } from "../../db/last-used.ts";
import type { Deps } from "../../deps.ts";
import type { Log } from "../../lib/log.ts";

const WRITE_EVERY_MS = 5_000;

export function trackLastUsed(
  db: Db,
  now: () => Date,
  log: Log,
): { mark: Deps["markUsed"]; stop: () => Promise<void> } {
  // The keys are the names of the list, every one of them.
  const used = Object.fromEntries(USED_TABLES.map((table) => [table, new Set<string>()])) as Record<
    UsedTable,
    Set<string>
  >;
  let failing = false;
  const write = async () => {
    for (const table of USED_TABLES) {
      const ids = used[table];
      if (ids.size === 0) continue;
      used[table] = new Set();
      try {
        await writeLastUsed(db, table, [...ids], now().toISOString());
        failing = false;
      } catch (thrown) {
        // A few seconds off is fine, forgotten is not: they go into the next write.
        for (const id of ids) used[table].add(id);
        if (!failing) log("last_used_not_written", { level: "warn", error: thrown });
        failing = true;
      }
    }
  };
  const timer = setInterval(() => void write(), WRITE_EVERY_MS);
  return {
    mark: (table, id) => {
      used[table].add(id);
    },
    stop: async () => {
      clearInterval(timer);
      await write();
    },
  };
}
