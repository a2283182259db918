/** When keys and tokens were last used: remembered in memory, written every few seconds. */
import type { Db } from "../db/db.ts";
import { USED_TABLES, type UsedTable, writeLastUsed } from "../db/last-used.ts";
import type { Deps } from "../deps.ts";
import type { Log } from "../lib/log.ts";

const WRITE_EVERY_MS = 5_000;

export function trackLastUsed(
  db: Db,
  now: () => Date,
  log: Log,
): { mark: Deps["used"]; stop: () => Promise<void> } {
  const used = new Map<UsedTable, Set<string>>();
  const setOf = (table: UsedTable): Set<string> => {
    const ids = used.get(table) ?? new Set();
    used.set(table, ids);
    return ids;
  };
  const write = async () => {
    for (const table of USED_TABLES) {
      const ids = setOf(table);
      if (ids.size === 0) continue;
      used.delete(table);
      try {
        await writeLastUsed(db, table, [...ids], now().toISOString());
      } catch (thrown) {
        // A few seconds off is fine, forgotten is not: they go into the next write.
        for (const id of ids) setOf(table).add(id);
        log("last_used_not_written", { level: "warn", error: thrown });
      }
    }
  };
  const timer = setInterval(() => void write(), WRITE_EVERY_MS);
  return {
    mark: (table, id) => {
      setOf(table).add(id);
    },
    stop: async () => {
      clearInterval(timer);
      await write();
    },
  };
}
