/** Records when keys and tokens were last used, every few seconds. */
import type { Db } from "../../db/db.ts";
import { type UsedTable, writeLastUsed } from "../../db/tables/last-used.ts";
import { createWriteBehindQueue } from "../../db/write-behind-queue.ts";
import type { Deps } from "../../deps.ts";
import type { Log } from "../../lib/log.ts";

const FLUSH_MS = 5_000;
const RETRY_MS = 5_000;
const BATCH_ROWS = 1_000;
const MAX_QUEUED = 100_000;

interface KeyUse {
  table: UsedTable;
  id: string;
}

export function trackLastUsed(
  db: Db,
  now: () => Date,
  log: Log,
): { mark: Deps["markUsed"]; stop: () => Promise<void> } {
  /** Ids in the queue. A second use within a few seconds is not recorded. */
  const queued = new Set<string>();
  const queue = createWriteBehindQueue<KeyUse>({
    kind: "key_use",
    log,
    async write(uses) {
      const at = now().toISOString();
      for (const [table, some] of Map.groupBy(uses, ({ table }) => table)) {
        await writeLastUsed(
          db,
          table,
          some.map(({ id }) => id),
          at,
        );
      }
    },
    maxBatch: () => BATCH_ROWS,
    maxRows: MAX_QUEUED,
    flushMs: () => FLUSH_MS,
    retryMs: RETRY_MS,
    onDone: (uses) => {
      for (const { id } of uses) queued.delete(id);
    },
  });
  return {
    mark: (table, id) => {
      if (!queued.has(id) && queue.add({ table, id })) queued.add(id);
    },
    stop: queue.stop,
  };
}
