/** The tables request_counts, latency_counts, evaluation_counts and finding_counts: sums per interval. */
import type { Db, Value } from "../db.ts";

/** Length of the intervals in seconds. */
export const STEPS = [60, 3600] as const;

interface Counter {
  table: string;
  /** Columns after gateway_id, step and start. */
  labels: readonly string[];
  sums: readonly string[];
}

const COUNTERS = {
  requests: {
    table: "request_counts",
    labels: ["consumer_id", "registry_id", "model", "status", "error_code"],
    sums: ["requests", "input_tokens", "output_tokens"],
  },
  latencies: { table: "latency_counts", labels: ["registry_id", "bucket"], sums: ["requests"] },
  evaluations: {
    table: "evaluation_counts",
    labels: ["collector_id", "direction", "status"],
    sums: ["evaluations"],
  },
  findings: { table: "finding_counts", labels: ["source", "type"], sums: ["findings"] },
} as const satisfies Record<string, Counter>;
export type CounterName = keyof typeof COUNTERS;
const COUNTER_NAMES = Object.keys(COUNTERS) as CounterName[];

export interface TrafficCount {
  counter: CounterName;
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
      const rows = toRows(counts.filter(({ counter }) => counter === name));
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

/** Returns one row per interval and labels, in a fixed order, so that two nodes cannot deadlock. */
function toRows(counts: readonly TrafficCount[]): Value[][] {
  const rows = new Map<string, { key: Value[]; sums: number[] }>();
  for (const { gateway_id, time, labels, sums } of counts) {
    for (const step of STEPS) {
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
  step: (typeof STEPS)[number];
  /** Unix time in seconds: from inclusive, to exclusive. */
  from: number;
  to: number;
  /** Undefined: all gateways. */
  gateway_id?: string | undefined;
  /** Labels that must have these values. */
  where?: Record<string, string | number | undefined>;
}

/** A group of counts with the values of its labels and its sums. */
export type CountRow = Record<string, string | number>;

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
  const values: Value[] = [query.step, query.from, query.to];
  const conditions = ["step = $1", "start >= $2", "start < $3"];
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

/** Deletes intervals of this step that started before `before`, in Unix seconds. */
export async function deleteTrafficCounts(db: Db, step: number, before: number): Promise<void> {
  for (const { table } of Object.values(COUNTERS)) {
    await db.run(`DELETE FROM ${table} WHERE step = $1 AND start < $2`, step, before);
  }
}
