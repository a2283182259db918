/** Finds and counts evaluations by filters. */

import type { ActivityEvent, ActivityFilters } from "../../contract/guard/activity.ts";
import { STATUSES } from "../../contract/guard/evaluate.ts";
import { firstIdAt } from "../../lib/ids.ts";
import type { Db, Value } from "../db.ts";
import { evaluationEventTable } from "./evaluation-events.ts";

export interface EvaluationQuery {
  filters: ActivityFilters;
  limit: number;
  /** Only events after this id, in the given order. */
  after?: string | undefined;
  order: "newest" | "oldest";
}

/** Rows per step of a search in texts or findings: on SQLite a query blocks the process. */
const SEARCHED_AT_A_TIME = 5_000;
/** Rows per step of a count on SQLite, for the same reason. Postgres counts in one step. */
const COUNTED_AT_A_TIME = 20_000;
/** The same, if only an index is read. */
const INDEX_ROWS_AT_A_TIME = 100_000;

/** Returns a page and the cursor of the next one; a page may have fewer rows than `limit`. */
export async function pageEvaluations(
  db: Db,
  { filters, limit, after, order }: EvaluationQuery,
): Promise<{ items: ActivityEvent[]; next: string | null }> {
  const walk = { order, after, step: SEARCHED_AT_A_TIME };
  const searches = filters.q !== undefined || filters.finding_type !== undefined;
  const edge = searches ? await edgeOf(db, filters, walk) : undefined;
  const { from, key, values, conditions } = narrowed(db, filters, { order, after, edge });
  const rows = await db.many<{ id: string }>(
    `SELECT e.id FROM ${from} WHERE ${conditions.join(" AND ") || "1 = 1"}
     ORDER BY ${key} ${WALKS[order].direction} LIMIT ${limit + 1}`,
    ...values,
  );
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const more = rows.length > limit ? ids.at(-1) : edge;
  if (more !== undefined) await new Promise(setImmediate); // yields to other requests before the next page
  return { items: await eventsOf(db, ids), next: more ?? null };
}

export async function countEvaluations(
  db: Db,
  filters: ActivityFilters,
): Promise<Record<string, number>> {
  const filtered = Object.entries(filters).filter(([, value]) => value !== undefined);
  if (filtered.every(([name]) => name === "from" || name === "to")) {
    return await countByIndex(db, filters);
  }
  const counts: Record<string, number> = {};
  let after: string | undefined;
  do {
    const walk = { order: "oldest", after } as const;
    const step = { ...walk, step: COUNTED_AT_A_TIME };
    const edge = db.dialect === "sqlite" ? await edgeOf(db, filters, step) : undefined;
    const { from, values, conditions } = narrowed(db, filters, { ...walk, edge });
    const rows = await db.many<{ status: string; count: number | string }>(
      `SELECT e.status, COUNT(*) AS count FROM ${from}
       WHERE ${conditions.join(" AND ") || "1 = 1"} GROUP BY e.status`,
      ...values,
    );
    for (const { status, count } of rows) counts[status] = (counts[status] ?? 0) + Number(count);
    after = edge;
    await new Promise(setImmediate); // yields to other requests
  } while (after !== undefined);
  return counts;
}

/** Counts without reading the rows: all by id, and each status but the usual one by its partial index. */
async function countByIndex(db: Db, filters: ActivityFilters): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let after: string | undefined;
  do {
    const walk = { order: "oldest", after } as const;
    const step = { ...walk, step: INDEX_ROWS_AT_A_TIME };
    const edge = db.dialect === "sqlite" ? await edgeOf(db, filters, step) : undefined;
    const count = async (status?: ActivityFilters["status"]): Promise<number> => {
      const stretch = { ...walk, edge };
      const { from, values, conditions } = narrowed(db, { ...filters, status }, stretch);
      const row = await db.one<{ count: number | string }>(
        `SELECT COUNT(*) AS count FROM ${from} WHERE ${conditions.join(" AND ") || "1 = 1"}`,
        ...values,
      );
      return Number(row?.count ?? 0);
    };
    const [total, ...unusual] = await Promise.all([
      edge === undefined ? count() : INDEX_ROWS_AT_A_TIME,
      ...UNUSUAL_STATUSES.map(count),
    ]);
    let usual = total;
    for (const [index, status] of UNUSUAL_STATUSES.entries()) {
      const found = unusual[index] ?? 0;
      if (found > 0) counts[status] = (counts[status] ?? 0) + found;
      usual -= found;
    }
    if (usual > 0) counts[USUAL_STATUS] = (counts[USUAL_STATUS] ?? 0) + usual;
    after = edge;
    await new Promise(setImmediate); // yields to other requests
  } while (after !== undefined);
  return counts;
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
const USUAL_STATUS = "allow";
const USUAL: Partial<Record<(typeof COMPARED)[number], string>> = {
  status: USUAL_STATUS,
  protocol: "llm",
  direction: "input",
};

const UNUSUAL_STATUSES = [...STATUSES, "error" as const].filter(
  (status) => status !== USUAL_STATUS,
);

/** A range of ids: after `after`, up to and including `edge`. */
interface Stretch {
  order: EvaluationQuery["order"];
  after: string | undefined;
  edge: string | undefined;
}

function narrowed(db: Db, filters: ActivityFilters, stretch: Stretch) {
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
async function edgeOf(
  db: Db,
  filters: ActivityFilters,
  { order, after, step }: Omit<Stretch, "edge"> & { step: number },
): Promise<string | undefined> {
  const bounds = boundsOf(filters, { order, after, edge: undefined });
  const conditions = bounds.map(([sign], index) => `id ${sign} $${index + 1}`);
  const row = await db.one<{ id: string }>(
    `SELECT id FROM evaluation_events WHERE ${conditions.join(" AND ") || "1 = 1"}
     ORDER BY id ${WALKS[order].direction} LIMIT 1 OFFSET ${step - 1}`,
    ...bounds.map(([, id]) => id),
  );
  return row?.id;
}
