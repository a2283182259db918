/** The request_events table. */
import type { RequestEvent } from "../contract/requests.ts";
import type { Db } from "./db.ts";
import { idAt } from "./id-at.ts";
import { table } from "./table.ts";

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

export const dropRequestEvents = (db: Db, olderThan: Date): Promise<number> =>
  db.run("DELETE FROM request_events WHERE id < $1", idAt(olderThan));
