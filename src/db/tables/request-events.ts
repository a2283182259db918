/** The request_events table. */

import type { RequestEvent } from "../../contract/requests.ts";
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
    endpoint: "text",
    method: "text",
    registry_id: "text",
    provider: "text",
    attempts: "json",
    model_asked: "text",
    model_sent: "text",
    status: "number",
    error_code: "text",
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

/** Rows scanned per page, which takes a few ms: a selective filter must not block the data plane. */
const MAX_SCANNED = 10_000;
const INDEXED = ["gateway_id", "consumer_id"];

/** Returns a page, newest first. An index per filter would double the cost of writing an event. */
export async function pageRequestEvents(
  db: Db,
  where: Partial<RequestEvent>,
  query: PageQuery,
  range: NonNullable<PageFilter["range"]>,
): Promise<Page<RequestEvent>> {
  const filters = Object.keys(where).filter((name) => !INDEXED.includes(name));
  const scans = filters.length > 0 && where.trace_id === undefined;
  const scanLimit = scans ? { rows: MAX_SCANNED, indexed: INDEXED } : undefined;
  return await requestEventTable.page(db, where, query, { range, scanLimit });
}

export const deleteRequestEvents = (db: Db, olderThan: Date): Promise<number> =>
  deleteInBatches(db, "request_events", "id < $1", firstIdAt(olderThan));
