/** Reads a value that changes whenever the first page of a watched list changes. */
import type { LiveTopic } from "../../contract/live.ts";
import type { Db } from "../db.ts";

/** A request is recorded when it ends, so its id may be older than others: the newest id alone is not enough. */
const NEWEST = "ORDER BY id DESC LIMIT 50";

const STATEMENTS: Record<LiveTopic, { sql: string; ofGateway: boolean }> = {
  requests: {
    sql: `SELECT id FROM request_events WHERE gateway_id = $1 ${NEWEST}`,
    ofGateway: true,
  },
  store_requests: {
    sql: `SELECT id FROM store_requests WHERE gateway_id = $1 AND state = 'pending'
          ORDER BY created_at LIMIT 100`,
    ofGateway: true,
  },
  evaluations: { sql: `SELECT id FROM evaluation_events ${NEWEST}`, ofGateway: false },
  approvals: {
    sql: "SELECT id FROM approvals WHERE status = 'pending' ORDER BY created_at DESC LIMIT 100",
    ofGateway: false,
  },
};

export const isGatewayTopic = (topic: LiveTopic): boolean => STATEMENTS[topic].ofGateway;

export async function readTopicState(
  db: Db,
  topic: LiveTopic,
  gateway_id: string | undefined,
): Promise<string> {
  const { sql, ofGateway } = STATEMENTS[topic];
  const rows = await db.many<{ id: string }>(sql, ...(ofGateway ? [gateway_id ?? ""] : []));
  return rows.map(({ id }) => id).join(" ");
}
