/** The request_events table. */

import type { RequestEvent, StatusFilter } from "../../contract/gateway/requests.ts";
import type { PageQuery } from "../../contract/shapes.ts";
import { firstIdAt } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { deleteInBatches } from "../delete-in-batches.ts";
import { type Page, type PageFilter, table } from "../table.ts";

export const requestEventTable = table<RequestEvent>({
  name: "request_events",
  columns: {
    id: "text",
    time: "text",
    trace_id: "text",
    gateway_id: "text",
    consumer_id: "text",
    key_id: "text",
    user_id: "text",
    endpoint: "text",
    method: "text",
    registry_id: "text",
    provider: "text",
    attempts: "json",
    model_asked: "text",
    model_sent: "text",
    status: "number",
    error_code: "text",
    error_message: "text",
    upstream_error: "text",
    request_bytes: "number",
    response_bytes: "number",
    ttfb_ms: "number",
    total_ms: "number",
    input_tokens: "number",
    output_tokens: "number",
  },
  search: [],
  sort: ["-id"],
});

/** The column cannot be null since the first release, which rejects an id that is not a UUID. */
const NO_KEY = "00000000-0000-0000-0000-000000000000";

export const insertRequestEvents = (db: Db, events: readonly RequestEvent[]): Promise<void> =>
  requestEventTable.insertMany(
    db,
    events.map((event) => (event.key_id === null ? { ...event, key_id: NO_KEY } : event)),
  );

/** Rows scanned per page, which takes a few ms: a selective filter must not block the data plane. */
const MAX_SCANNED = 10_000;
const INDEXED = ["gateway_id", "consumer_id"];

interface RequestEventFilter {
  range: NonNullable<PageFilter["range"]>;
  status_class?: StatusFilter | undefined;
}

/** Returns a page, newest first. An index per filter would double the cost of writing an event. */
export async function pageRequestEvents(
  db: Db,
  where: Partial<RequestEvent>,
  query: PageQuery,
  { range, status_class }: RequestEventFilter,
): Promise<Page<RequestEvent>> {
  const filters = Object.keys(where).filter((name) => !INDEXED.includes(name));
  const scans = (filters.length > 0 || status_class) && where.trace_id === undefined;
  const scanLimit = scans ? { rows: MAX_SCANNED, indexed: INDEXED } : undefined;
  const numbers = status_class && { column: "status", ...STATUS_RANGES[status_class] };
  const page = await requestEventTable.page(db, where, query, { range, numbers, scanLimit });
  for (const item of page.items) if (item.key_id === NO_KEY) item.key_id = null;
  return page;
}

const STATUS_RANGES: Record<StatusFilter, { from: number; to: number }> = {
  errors: { from: 400, to: 600 },
  "2xx": { from: 200, to: 300 },
  "3xx": { from: 300, to: 400 },
  "4xx": { from: 400, to: 500 },
  "5xx": { from: 500, to: 600 },
};

export const deleteRequestEvents = (db: Db, olderThan: Date): Promise<number> =>
  deleteInBatches(db, "request_events", "id < $1", firstIdAt(olderThan));
