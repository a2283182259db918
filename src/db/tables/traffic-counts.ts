/** The tables request_counts, outcome_counts, latency_counts, evaluation_counts and finding_counts: sums per interval. */
import type { Db, Value } from "../db.ts";

const DAY = 86_400;
/** Length of the intervals in seconds, and how long they are stored. Each is a multiple of the one before. */
export const STEPS = [
  { step: 60, stored_s: 3 * DAY },
  { step: 3600, stored_s: 400 * DAY },
  { step: DAY, stored_s: 400 * DAY },
] as const;

interface Counter {
  table: string;
  /** Columns after gateway_id, step and start. */
  labels: readonly string[];
  sums: readonly string[];
}

const REQUEST_SUMS = ["requests", "input_tokens", "output_tokens"] as const;

const COUNTERS = {
  requests: {
    table: "request_counts",
    labels: ["consumer_id", "registry_id", "model", "status", "error_code"],
    sums: REQUEST_SUMS,
  },
  /** The same requests with fewer labels: charts read a few rows per interval instead of hundreds. */
  outcomes: { table: "outcome_counts", labels: ["status", "error_code"], sums: REQUEST_SUMS },
  latencies: { table: "latency_counts", labels: ["registry_id", "bucket"], sums: ["requests"] },
  evaluations: {
    table: "evaluation_counts",
    labels: ["collector_id", "direction", "status"],
    sums: ["evaluations"],
  },
  findings: { table: "finding_counts", labels: ["source", "type"], sums: ["findings"] },
} as const satisfies Record<string, Counter>;
type CounterName = keyof typeof COUNTERS;
const COUNTER_NAMES = Object.keys(COUNTERS) as CounterName[];
/** Position of the labels of `outcomes` among those of `requests`. */
const OUTCOME_AT = COUNTERS.requests.labels.indexOf(COUNTERS.outcomes.labels[0]);

export interface TrafficCount {
  counter: Exclude<CounterName, "outcomes">;
  gateway_id: string;
  /** Unix time in seconds. */
  time: number;
  labels: readonly (string | number)[];
  sums: number[];
}

/** Adds counts to those of other nodes, for each step. */
export async function addTrafficCounts(db: Db, counts: readonly TrafficCount[]): Promise<void> {
  await db.transaction(async (tx) => {
    for (const name of COUNTER_NAMES) {
      const rows = toRows(countsOf(name, counts));
      if (rows.length === 0) continue;
      const { table, labels, sums } = COUNTERS[name];
      const columns = ["gateway_id", "step", "start", ...labels];
      const values: Value[] = [];
      const places = rows.map(
        (row) => `(${row.map((value) => `$${values.push(value)}`).join(", ")})`,
      );
      await tx.run(
        `INSERT INTO ${table} (${[...columns, ...sums].join(", ")}) VALUES ${places.join(", ")}
         ON CONFLICT (${columns.join(", ")}) DO UPDATE
         SET ${sums.map((sum) => `${sum} = ${table}.${sum} + excluded.${sum}`).join(", ")}`,
        ...values,
      );
    }
  });
}

/** Returns the counts of a counter. Those of outcomes are derived from those of requests. */
function countsOf(name: CounterName, counts: readonly TrafficCount[]): readonly TrafficCount[] {
  if (name !== "outcomes") return counts.filter(({ counter }) => counter === name);
  const requests = counts.filter(({ counter }) => counter === "requests");
  return requests.map((count) => ({ ...count, labels: count.labels.slice(OUTCOME_AT) }));
}

/** Returns one row per interval and labels, in a fixed order, so that two nodes cannot deadlock. */
function toRows(counts: readonly TrafficCount[]): Value[][] {
  const rows = new Map<string, { key: Value[]; sums: number[] }>();
  for (const { gateway_id, time, labels, sums } of counts) {
    for (const { step } of STEPS) {
      const key = [gateway_id, step, Math.floor(time / step) * step, ...labels];
      const id = JSON.stringify(key);
      const row = rows.get(id);
      if (row) row.sums = row.sums.map((sum, index) => sum + (sums[index] ?? 0));
      else rows.set(id, { key, sums });
    }
  }
  const ordered = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
  return ordered.map(([, { key, sums }]) => [...key, ...sums]);
}

export interface CountQuery {
  counter: CounterName;
  /** Unix time in seconds: from inclusive, to exclusive. Whole intervals that are still stored. */
  from: number;
  to: number;
  /** Undefined: all gateways. */
  gateway_id?: string | undefined;
  /** Labels that must have these values. */
  where?: Record<string, string | number | undefined>;
}

/** A group of counts with the values of its labels and its sums. */
export type CountRow = Record<string, string | number>;

interface Part {
  step: number;
  from: number;
  to: number;
}

/** Splits a range into intervals of the longest steps: whole days, then hours and minutes at both ends. */
function splitRange(from: number, to: number, steps: readonly number[]): Part[] {
  const step = steps.at(-1);
  if (step === undefined || from >= to) return [];
  const first = Math.ceil(from / step) * step;
  const last = Math.floor(to / step) * step;
  const shorter = steps.slice(0, -1);
  if (first >= last) return splitRange(from, to, shorter);
  return [
    ...splitRange(from, first, shorter),
    { step, from: first, to: last },
    ...splitRange(last, to, shorter),
  ];
}

/**
 * Returns the sums of each group. `width` groups by intervals of that many seconds, as the column `start`; `top`
 * returns only the largest groups by the first sum.
 */
export async function sumTraffic(
  db: Db,
  query: CountQuery,
  { by, width, top }: { by: readonly string[]; width?: number; top?: number },
): Promise<CountRow[]> {
  const { table, sums } = COUNTERS[query.counter];
  const steps = STEPS.map(({ step }) => step).filter((step) => !width || width % step === 0);
  const values: Value[] = [];
  const parts = splitRange(query.from, query.to, steps).map(
    (part) =>
      `step = $${values.push(part.step)} AND start >= $${values.push(part.from)} AND start < $${values.push(part.to)}`,
  );
  const conditions = [`(${parts.join(" OR ")})`];
  const filters = { gateway_id: query.gateway_id, ...query.where };
  for (const [label, value] of Object.entries(filters)) {
    if (value !== undefined) conditions.push(`${label} = $${values.push(value)}`);
  }
  // Integer division on both databases. The width is a number of this program.
  const start = width === undefined ? [] : [`start / ${width} * ${width}`];
  const groups = [...start, ...by];
  const selected = [...start.map((expression) => `${expression} AS start`), ...by];
  const [first] = sums;
  const rows = await db.many<Record<string, unknown>>(
    `SELECT ${[...selected, ...sums.map((sum) => `SUM(${sum}) AS ${sum}`)].join(", ")}
     FROM ${table} WHERE ${conditions.join(" AND ")}
     ${groups.length > 0 ? `GROUP BY ${groups.join(", ")}` : ""}
     ${top === undefined ? "" : `ORDER BY SUM(${first}) DESC, ${by.join(", ")} LIMIT ${top}`}`,
    ...values,
  );
  const numbers = new Set<string>([...sums, "start"]);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        // Postgres returns sums of BIGINT as text; no rows have a sum of null.
        numbers.has(name) ? Number(value ?? 0) : (value as string | number),
      ]),
    ),
  );
}

/** Deletes intervals that are no longer stored, at this Unix time in seconds. */
export async function deleteTrafficCounts(db: Db, now: number): Promise<void> {
  for (const { table } of Object.values(COUNTERS)) {
    for (const { step, stored_s } of STEPS) await deleteBefore(db, table, step, now - stored_s);
  }
}

/** Intervals per statement: a busy gateway has a hundred rows in each. */
const BATCH_INTERVALS = 10;

/** Deletes in batches, because SQLite blocks the process meanwhile. */
async function deleteBefore(db: Db, table: string, step: number, before: number): Promise<void> {
  for (;;) {
    const found = await db.one<{ start: number | string | null }>(
      `SELECT MIN(start) AS start FROM ${table} WHERE step = $1`,
      step,
    );
    const oldest = Number(found?.start ?? before);
    if (oldest >= before) return;
    const end = Math.min(before, oldest + BATCH_INTERVALS * step);
    await db.run(`DELETE FROM ${table} WHERE step = $1 AND start < $2`, step, end);
    await new Promise(setImmediate); // lets other queries run on SQLite
  }
}
