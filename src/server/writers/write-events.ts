/** Records data-plane requests in batches, off the request path. */
import type { RequestEvent } from "../../contract/gateway/requests.ts";
import type { Db } from "../../db/db.ts";
import { createQueueJournal } from "../../db/queue-journal.ts";
import { insertRequestEvents } from "../../db/tables/request-events.ts";
import { createWriteBehindQueue } from "../../db/write-behind-queue.ts";
import type { Journal } from "../../lib/journal.ts";
import type { Log } from "../../lib/log.ts";

const FLUSH_MS = 250;
const RETRY_MS = 250;
/** Rows in one statement: SQLite blocks the process for about a millisecond. */
const BATCH_ROWS = 256;
/** About 50 MB: several minutes of a busy node during an outage of the database. */
const MAX_QUEUED = 100_000;

export interface EventWriter {
  record: (event: RequestEvent) => void;
  /** Events in the queue. */
  waiting: () => number;
  /** Events that were lost since the start: the queue was full, or the database refused them. */
  lost: () => number;
  /** True while events wait for the database to become available. */
  held: () => boolean;
  stop: () => Promise<void>;
}

export function writeEvents(db: Db, log: Log, journal?: Journal): EventWriter {
  const queue = createWriteBehindQueue<RequestEvent>({
    kind: "event",
    log,
    write: (events) => insertRequestEvents(db, events),
    maxBatch: () => BATCH_ROWS,
    maxRows: MAX_QUEUED,
    flushMs: () => FLUSH_MS,
    // Not kept for the rest of FLUSH_MS: events that survive a garbage collection cost more.
    flushRows: BATCH_ROWS,
    retryMs: RETRY_MS,
    journal: createQueueJournal(journal, log),
  });
  const { add: record, size: waiting, lost, isHeld: held, stop } = queue;
  return { record, waiting, lost, held, stop };
}
