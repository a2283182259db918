/** The request_events table. */

import type { RequestEvent } from "../contract/requests.ts";
import type { PageQuery } from "../contract/shapes.ts";
import { firstIdAt } from "../lib/ids.ts";
import type { Db } from "./db.ts";
import { dropInSteps } from "./drop-in-steps.ts";
import { type Narrowed, type Page, table } from "./table.ts";

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

/** A log page whose filter finds little must not hold up the data plane: this many rows take a few ms. */
const LOOKED_AT = 10_000;
const INDEXED = ["gateway_id", "consumer_id"];

/** Newest first. An index for every filter would double what it costs to write an event. */
export async function pageRequestEvents(
  db: Db,
  where: Partial<RequestEvent>,
  query: PageQuery,
  range: NonNullable<Narrowed["range"]>,
): Promise<Page<RequestEvent>> {
  const filters = Object.keys(where).filter((name) => !INDEXED.includes(name));
  const walks = filters.length > 0 && where.trace_id === undefined;
  const most = walks ? { rows: LOOKED_AT, indexed: INDEXED } : undefined;
  return await requestEventTable.page(db, where, query, { range, most });
}

export const dropRequestEvents = (db: Db, olderThan: Date): Promise<number> =>
  dropInSteps(db, "request_events", "id < $1", firstIdAt(olderThan));
