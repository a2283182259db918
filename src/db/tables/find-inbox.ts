/** Finds approvals and Store requests together, newest first. */
import type { InboxFilters, InboxItem } from "../../contract/inbox.ts";
import { invalidCursor } from "../../contract/shapes.ts";
import type { Db, Value } from "../db.ts";
import { type Page, searchFor } from "../table.ts";

export interface InboxQuery extends InboxFilters {
  limit: number;
  cursor?: string | undefined;
  q?: string | undefined;
  /** Undefined: everything. Otherwise only the Store requests of these gateways. */
  gateway_ids: readonly string[] | undefined;
}

interface InboxRow extends Omit<InboxItem, "own" | "server_name"> {
  /** Principal, or else name, of the administrator's token that sent the request; null: another client did. */
  sender: string | null;
}

/** Part of the inbox that one table stores. */
interface Source {
  kind: InboxItem["kind"];
  columns: string;
  from: string;
  alias: string;
  gateway: string;
  /** Column of the stored state. */
  state: string;
  /** Stored state of each state of the inbox. Left out: the same word. */
  states: Partial<Record<InboxItem["state"], string>>;
  search: readonly string[];
}

const SOURCES: readonly Source[] = [
  {
    kind: "evaluation",
    columns:
      "c.gateway_id, a.consumer_id AS requester, COALESCE(t.principal_sub, t.name) AS sender, a.asked_by AS subject, a.tool, NULL AS reason",
    from: "approvals a LEFT JOIN collectors c ON c.id = a.collector_id LEFT JOIN admin_tokens t ON t.id = a.requested_by",
    alias: "a",
    gateway: "c.gateway_id",
    state: "a.status",
    states: { rejected: "denied" },
    search: ["a.asked_by", "a.consumer_id", "a.tool"],
  },
  {
    kind: "store_request",
    columns:
      "r.gateway_id, r.principal_sub AS requester, COALESCE(t.principal_sub, t.name) AS sender, r.code AS subject, NULL AS tool, r.reason",
    from: "store_requests r LEFT JOIN admin_tokens t ON t.id = r.requested_by",
    alias: "r",
    gateway: "r.gateway_id",
    state: "r.state",
    states: {},
    search: ["r.principal_sub", "r.code"],
  },
];

export async function findInbox(db: Db, query: InboxQuery, now: Date): Promise<Page<InboxRow>> {
  const { limit, kind, gateway_ids } = query;
  const values: Value[] = [];
  const sources = SOURCES.filter(
    (source) =>
      (!kind || source.kind === kind) && (!gateway_ids || source.kind === "store_request"),
  );
  if (sources.length === 0 || gateway_ids?.length === 0) return { items: [], next_cursor: null };
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const parts = sources.map(
    (source) =>
      `SELECT * FROM (${selectFrom(source, { query, after, now }, values)}) ${source.alias}`,
  );
  const rows = await db.many<InboxRow>(
    `${parts.join(" UNION ALL ")} ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`,
    ...values,
  );
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last ? writeCursor(last) : null };
}

interface Selection {
  query: InboxQuery;
  after: [created_at: string, id: string] | undefined;
  now: Date;
}

function selectFrom(source: Source, { query, after, now }: Selection, values: Value[]): string {
  const { kind, columns, from, alias, gateway, state } = source;
  const place = (value: Value) => `$${values.push(value)}`;
  const at = place(now.toISOString());
  const isOverdue = `${state} = 'pending' AND ${alias}.expires_at <= ${at}`;
  const renamed = Object.entries(source.states).map(
    ([name, stored]) => `WHEN ${state} = '${stored}' THEN '${name}'`,
  );
  const conditions: string[] = [];
  if (query.state) {
    const stored = `${state} = ${place(source.states[query.state] ?? query.state)}`;
    if (query.state === "pending") conditions.push(stored, `${alias}.expires_at > ${at}`);
    else if (query.state === "expired") conditions.push(`(${stored} OR ${isOverdue})`);
    else conditions.push(stored);
  }
  if (query.gateway_id) conditions.push(`${gateway} = ${place(query.gateway_id)}`);
  if (query.gateway_ids)
    conditions.push(`${gateway} IN (${query.gateway_ids.map(place).join(", ")})`);
  if (query.q) conditions.push(searchFor(query.q, source.search, values));
  if (query.from) conditions.push(`${alias}.created_at >= ${place(query.from)}`);
  if (query.to) conditions.push(`${alias}.created_at < ${place(query.to)}`);
  if (after)
    conditions.push(`(${alias}.created_at, ${alias}.id) < (${after.map(place).join(", ")})`);
  return `SELECT ${alias}.id, '${kind}' AS kind,
      CASE WHEN ${isOverdue} THEN 'expired' ${renamed.join(" ")} ELSE ${state} END AS state,
      ${columns}, ${alias}.decided_by, ${alias}.created_at, ${alias}.expires_at
    FROM ${from} WHERE ${conditions.join(" AND ") || "1 = 1"}
    ORDER BY ${alias}.created_at DESC, ${alias}.id DESC LIMIT ${query.limit + 1}`;
}

const writeCursor = ({ created_at, id }: InboxRow): string =>
  Buffer.from(JSON.stringify([created_at, id])).toString("base64url");

function readCursor(cursor: string): [string, string] {
  try {
    const [created_at, id] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (typeof created_at === "string" && typeof id === "string") return [created_at, id];
  } catch {
    // Not a cursor of ours: rejected below.
  }
  throw invalidCursor();
}
