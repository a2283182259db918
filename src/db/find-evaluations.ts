/** Finds and counts evaluations by what an administrator asks for. */
import type { ActivityFilters, EvaluationEvent } from "../contract/activity.ts";
import type { Db, Value } from "./db.ts";
import { evaluationEventTable } from "./evaluation-events.ts";
import { idAt } from "./id-at.ts";

export interface Asked {
  filters: ActivityFilters;
  limit: number;
  /** Only events on the far side of this id. */
  after?: string | undefined;
  order: "newest" | "oldest";
}

/** On SQLite the whole process waits for a query: a search goes through this many texts at a time. */
const SEARCHED_AT_A_TIME = 5_000;

/** `next` is where the following page begins, though this one may hold fewer than were asked for. */
export async function pageEvaluations(
  db: Db,
  { filters, limit, after, order }: Asked,
): Promise<{ items: EvaluationEvent[]; next: string | null }> {
  const { from, key, values, conditions } = narrowed(db, filters);
  const [sign, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
  if (after !== undefined) conditions.push(`${key} ${sign} $${values.push(after)}`);
  const edge =
    filters.q === undefined ? undefined : await searchEdge(db, { after, sign, direction });
  if (edge !== undefined)
    conditions.push(`${key} ${sign === "<" ? ">=" : "<="} $${values.push(edge)}`);
  const rows = await db.many<{ id: string }>(
    `SELECT e.id FROM ${from} WHERE ${conditions.join(" AND ") || "1 = 1"}
     ORDER BY ${key} ${direction} LIMIT ${limit + 1}`,
    ...values,
  );
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const more = rows.length > limit ? ids.at(-1) : edge;
  return { items: await eventsOf(db, ids), next: more ?? null };
}

export async function countEvaluations(
  db: Db,
  filters: ActivityFilters,
): Promise<Record<string, number>> {
  const { from, values, conditions } = narrowed(db, filters);
  const rows = await db.many<{ status: string; count: number | string }>(
    `SELECT e.status, COUNT(*) AS count FROM ${from}
     WHERE ${conditions.join(" AND ") || "1 = 1"} GROUP BY e.status`,
    ...values,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

async function eventsOf(db: Db, ids: readonly string[]): Promise<EvaluationEvent[]> {
  const asked = {
    limit: Math.max(1, ids.length),
    cursor: undefined,
    q: undefined,
    sort: undefined,
  };
  const { items } = await evaluationEventTable.page(db, {}, asked, { within: ids });
  const byId = new Map(items.map((event) => [event.id, event]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Columns that a filter of the same name compares. */
const COMPARED = [
  "status",
  "direction",
  "protocol",
  "consumer_id",
  "session_id",
  "application",
  "collector_id",
  "policy_id",
  "trace_id",
] as const;

/** Rows with these values are in no index; a query for others must say so to be answered from it. */
const USUAL: Partial<Record<(typeof COMPARED)[number], string>> = {
  status: "allow",
  protocol: "llm",
  direction: "input",
};

function narrowed(db: Db, filters: ActivityFilters) {
  const values: Value[] = [];
  const conditions = COMPARED.flatMap((name) => {
    const value = filters[name];
    if (value === undefined) return [];
    const equal = `e.${name} = $${values.push(value)}`;
    const usual = USUAL[name];
    return usual === undefined || value === usual ? [equal] : [equal, `e.${name} <> '${usual}'`];
  });
  // What is walked in order is the narrowest: texts, then what fired, then the events themselves.
  const key = filters.q ? "t.id" : filters.detector ? "f.event_id" : "e.id";
  if (filters.request_id) conditions.push(`${key} = $${values.push(filters.request_id)}`);
  // Ids begin with the time, so the primary key narrows by it.
  if (filters.from) conditions.push(`${key} >= $${values.push(idAt(filters.from))}`);
  if (filters.to) conditions.push(`${key} < $${values.push(idAt(filters.to))}`);
  let from = "evaluation_events e";
  if (filters.detector) {
    from += " JOIN evaluation_findings f ON f.event_id = e.id";
    conditions.push(`f.source = $${values.push(filters.detector)}`);
  }
  if (filters.q) {
    from += " JOIN evaluation_contents t ON t.id = e.id";
    // SQLite's LIKE does not mind the case of ASCII letters; Postgres has another word for that.
    const like = db.dialect === "postgres" ? "ILIKE" : "LIKE";
    // As JSON holds it: a quote or a line break in the text is an escape there.
    const wanted = JSON.stringify(filters.q)
      .slice(1, -1)
      .replace(/[\\%_]/g, "\\$&");
    conditions.push(`t.texts ${like} $${values.push(`%${wanted}%`)} ESCAPE '\\'`);
  }
  return { from, key, values, conditions };
}

async function searchEdge(
  db: Db,
  { after, sign, direction }: { after: string | undefined; sign: string; direction: string },
): Promise<string | undefined> {
  const begin = after === undefined ? "" : `WHERE id ${sign} $1`;
  const row = await db.one<{ id: string }>(
    `SELECT id FROM evaluation_contents ${begin} ORDER BY id ${direction}
     LIMIT 1 OFFSET ${SEARCHED_AT_A_TIME - 1}`,
    ...(after === undefined ? [] : [after]),
  );
  return row?.id;
}
