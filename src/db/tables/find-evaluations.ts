/** Finds evaluations by filters. */

import type { ActivityEvent, ActivityFilters } from "../../contract/guard/activity.ts";
import { firstIdAt } from "../../lib/ids.ts";
import type { Db, Value } from "../db.ts";
import { evaluationEventTable } from "./evaluation-events.ts";

/** `would_be`: only events with a finding whose action was not taken. */
type Filters = ActivityFilters & { would_be?: true };

export interface EvaluationQuery {
  filters: Filters;
  limit: number;
  /** Only events after this id, in the given order. */
  after?: string | undefined;
  order: "newest" | "oldest";
}

/** Rows per page of a search in texts or findings: on SQLite a query blocks the process. */
const SEARCHED_AT_A_TIME = 5_000;
/** Bytes of text per query of a search, for the same reason: an event may have a megabyte, which takes a millisecond. */
const SEARCHED_BYTES_AT_A_TIME = 8 * 1024 * 1024;

/** Returns a page and the cursor of the next one; a page may have fewer rows than `limit`. */
export async function pageEvaluations(
  db: Db,
  { filters, limit, after, order }: EvaluationQuery,
): Promise<{ items: ActivityEvent[]; next: string | null }> {
  const { q, finding_type, would_be, reference } = filters;
  const searches = (q ?? finding_type ?? would_be ?? reference) !== undefined;
  const edges = searches ? await searchEdgesOf(db, filters, { order, after }) : [undefined];
  const ids: string[] = [];
  let last = after;
  for (const edge of edges) {
    const stretch = { order, after: last, edge };
    ids.push(...(await idsOf(db, filters, stretch, limit + 1 - ids.length)));
    const isFull = ids.length > limit;
    // Yields to other requests before the next query, or the next page.
    if (isFull || edge !== undefined) await new Promise(setImmediate);
    if (isFull) break;
    last = edge;
  }
  const items = await eventsOf(db, ids.slice(0, limit));
  const next = ids.length > limit ? ids[limit - 1] : edges.at(-1);
  return { items, next: next ?? null };
}

async function idsOf(db: Db, filters: Filters, stretch: Stretch, limit: number): Promise<string[]> {
  const { from, key, values, conditions } = narrowed(db, filters, stretch);
  const rows = await db.many<{ id: string }>(
    `SELECT e.id FROM ${from} WHERE ${conditions.join(" AND ") || "1 = 1"}
     ORDER BY ${key} ${WALKS[stretch.order].direction} LIMIT ${limit}`,
    ...values,
  );
  return rows.map(({ id }) => id);
}

async function eventsOf(db: Db, ids: readonly string[]): Promise<ActivityEvent[]> {
  const query = {
    limit: Math.max(1, ids.length),
    cursor: undefined,
    q: undefined,
    sort: undefined,
  };
  const { items } = await evaluationEventTable.page(db, {}, query, { ids });
  const byId = new Map(items.map((event) => [event.id, event]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Columns that a filter of the same name compares. */
const COMPARED = [
  "status",
  "direction",
  "protocol",
  "consumer_id",
  "application",
  "collector_id",
  "policy_id",
] as const;

/** Values excluded from the partial indexes; a query must exclude them explicitly to use the index. */
export const USUAL_STATUS = "allow";
const USUAL: Partial<Record<(typeof COMPARED)[number], string>> = {
  status: USUAL_STATUS,
  protocol: "llm",
  direction: "input",
};

type Walk = Pick<Stretch, "order" | "after">;

/** A range of ids: after `after`, up to and including `edge`. */
interface Stretch {
  order: EvaluationQuery["order"];
  after: string | undefined;
  edge: string | undefined;
}

export function narrowed(db: Db, filters: Filters, stretch: Stretch) {
  const values: Value[] = [];
  const conditions = COMPARED.flatMap((name) => {
    const value = filters[name];
    if (value === undefined) return [];
    const equal = `e.${name} = $${values.push(value)}`;
    const usual = USUAL[name];
    return usual === undefined || value === usual ? [equal] : [equal, `e.${name} <> '${usual}'`];
  });
  if (filters.trace_id) conditions.push(inTrace(filters.trace_id, values));
  if (filters.session_id) conditions.push(inSession(filters.session_id, values));
  // The findings table is the most selective and has the same order.
  const key = filters.detector ? "f.event_id" : "e.id";
  if (filters.request_id) conditions.push(`${key} = $${values.push(filters.request_id)}`);
  for (const [sign, id] of boundsOf(filters, stretch)) {
    conditions.push(`${key} ${sign} $${values.push(id)}`);
  }
  let from = "evaluation_events e";
  if (filters.detector) {
    from += " JOIN evaluation_findings f ON f.event_id = e.id";
    conditions.push(`f.source = $${values.push(filters.detector)}`);
  }
  if (filters.feedback) {
    conditions.push("e.feedback <> '[]'");
    if (filters.feedback !== "any") {
      conditions.push(`e.feedback LIKE $${values.push(`%"mark":"${filters.feedback}"%`)}`);
    }
  }
  if (filters.finding_type) {
    const wanted = escapePattern(`"signal":{"type":${JSON.stringify(filters.finding_type)},`);
    conditions.push(`e.findings LIKE $${values.push(`%${wanted}%`)} ESCAPE '\\'`);
  }
  if (filters.would_be) conditions.push(`e.findings LIKE '%"would_be":%'`);
  if (filters.reference) {
    conditions.push(`e.findings LIKE $${values.push(`%"passage_sha256":"${filters.reference}%`)}`);
  }
  if (filters.q) {
    // SQLite's LIKE ignores the case of ASCII letters; Postgres needs ILIKE.
    const like = db.dialect === "postgres" ? "ILIKE" : "LIKE";
    // Escaped as in the stored JSON.
    const wanted = escapePattern(JSON.stringify(filters.q).slice(1, -1));
    conditions.push(`e.texts ${like} $${values.push(`%${wanted}%`)} ESCAPE '\\'`);
  }
  return { from, key, values, conditions };
}

const escapePattern = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** Matches a trace. A trace that started here is not indexed: its digits are the id of its only event. */
const inTrace = (trace_id: string, values: Value[]): string =>
  `(${casesOfTrace(trace_id, values).join(" OR ")})`;

/** A list, because SQLite uses an index for each case of one OR, not of nested ones. */
function casesOfTrace(trace_id: string, values: Value[]): string[] {
  const trace = `$${values.push(trace_id)}`;
  const id = `$${values.push(trace_id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"))}`;
  return [
    `e.trace_id = ${trace} AND e.trace_id <> REPLACE(e.id, '-', '')`,
    `e.trace_id = ${trace} AND e.id = ${id}`,
  ];
}

/** Characters of a trace id that was created here. */
const TRACE_CHARACTERS = 32;

/**
 * Matches a session. Not indexed is a generated session id, which is the id of its only event, and one that ends with
 * the trace of its events, such as that of a data-plane request without a session.
 */
function inSession(session_id: string, values: Value[]): string {
  const session = `$${values.push(session_id)}`;
  const end = `SUBSTR(e.session_id, LENGTH(e.session_id) - ${TRACE_CHARACTERS - 1})`;
  const cases = [
    `e.session_id <> e.id AND ${end} <> e.trace_id`,
    `e.id = ${session}`,
    ...casesOfTrace(session_id.slice(-TRACE_CHARACTERS), values),
  ];
  return `(${cases.map((one) => `e.session_id = ${session} AND ${one}`).join(" OR ")})`;
}

const WALKS = {
  newest: { behind: "<", upTo: ">=", direction: "DESC" },
  oldest: { behind: ">", upTo: "<=", direction: "ASC" },
} as const;

/**
 * Returns bounds on the id, which starts with the time. One bound per side: with two, SQLite may scan the index from
 * the wider one, and later pages would scan all earlier rows.
 */
function boundsOf(filters: ActivityFilters, { order, after, edge }: Stretch) {
  const { behind, upTo } = WALKS[order];
  const [begin, end] = rangeOf(filters, order);
  const bounds: Bound[] = [
    after === undefined ? begin : [behind, after],
    edge === undefined ? end : [upTo, edge],
  ];
  return bounds.filter((bound) => bound !== undefined);
}

type Bound = [sign: string, id: string] | undefined;

/** Returns the first and last bound of a scan in this order, from the time filter. */
function rangeOf({ from, to }: ActivityFilters, order: EvaluationQuery["order"]): [Bound, Bound] {
  const oldest: Bound = from === undefined ? undefined : [">=", firstIdAt(from)];
  const newest: Bound = to === undefined ? undefined : ["<", firstIdAt(to)];
  return order === "newest" ? [newest, oldest] : [oldest, newest];
}

/** Returns the id of the last row of a step; undefined if the range ends earlier. */
export async function edgeOf(
  db: Db,
  filters: ActivityFilters,
  { step, ...walk }: Walk & { step: number },
): Promise<string | undefined> {
  const [row] = await walkRows<{ id: string }>(db, filters, walk, "id", `1 OFFSET ${step - 1}`);
  return row?.id;
}

/** Returns the id of the last row of each query of a search; undefined for the last one if the range ends in it. */
async function searchEdgesOf(
  db: Db,
  filters: ActivityFilters,
  walk: Walk,
): Promise<(string | undefined)[]> {
  // Reads the size of each text without the text.
  const columns = "id, OCTET_LENGTH(texts) AS bytes";
  const rows = await walkRows<{ id: string; bytes: number | null }>(
    db,
    filters,
    walk,
    columns,
    String(SEARCHED_AT_A_TIME),
  );
  const edges: (string | undefined)[] = [];
  let total = 0;
  for (const [index, { id, bytes }] of rows.entries()) {
    total += filters.q === undefined ? 0 : (bytes ?? 0);
    if (total < SEARCHED_BYTES_AT_A_TIME && index < SEARCHED_AT_A_TIME - 1) continue;
    edges.push(id);
    total = 0;
  }
  return rows.length < SEARCHED_AT_A_TIME ? [...edges, undefined] : edges;
}

/** Returns rows of the time range after `after`, regardless of other filters. */
function walkRows<Row>(
  db: Db,
  filters: ActivityFilters,
  { order, after }: Walk,
  columns: string,
  limit: string,
): Promise<Row[]> {
  const bounds = boundsOf(filters, { order, after, edge: undefined });
  const conditions = bounds.map(([sign], index) => `id ${sign} $${index + 1}`);
  return db.many<Row>(
    `SELECT ${columns} FROM evaluation_events WHERE ${conditions.join(" AND ") || "1 = 1"}
     ORDER BY id ${WALKS[order].direction} LIMIT ${limit}`,
    ...bounds.map(([, id]) => id),
  );
}
