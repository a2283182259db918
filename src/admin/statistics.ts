/** Operations on statistics: sums the counts of a range for charts. */
import { AppError } from "../contract/errors.ts";
import {
  activityStatistics,
  type RequestStatistics,
  type RequestTotals,
  requestStatistics,
} from "../contract/statistics.ts";
import { type CountRow, STEPS, sumTraffic } from "../db/tables/traffic-counts.ts";
import type { Deps } from "../deps.ts";
import { findQuantile } from "../lib/log-buckets.ts";
import { type Route, route } from "../route.ts";
import { requireGateway } from "./resource-routes.ts";

const TOP = 10;

export const statisticsRoutes: Route[] = [
  route(requestStatistics, async (deps, { params, query: { from, to, ...where } }) => {
    await requireGateway(deps, params);
    await deps.flushTraffic();
    return await readRequestStatistics(
      deps,
      params.gateway_id,
      selectRange(deps, { from, to }),
      where,
    );
  }),
  route(activityStatistics, async (deps, { query: { from, to, gateway_id, ...where } }) => {
    await deps.flushTraffic();
    const range = selectRange(deps, { from, to });
    const query = { counter: "evaluations", gateway_id, where, ...range } as const;
    const findings = { counter: "findings", gateway_id, ...range } as const;
    const [rows, previous, detectors, types] = await Promise.all([
      sumTraffic(deps.db, query, { by: ["status"], width: range.width }),
      sumTraffic(deps.db, before(query), { by: ["status"] }),
      sumTraffic(deps.db, findings, { by: ["source"], top: TOP }),
      sumTraffic(deps.db, findings, { by: ["type"], top: TOP }),
    ]);
    const by_status = toSeries(rows, range, (row) => String(row.status), "evaluations");
    const totals = mapValues(by_status, sum);
    const earlier = Object.fromEntries(
      previous.map((row) => [String(row.status), Number(row.evaluations)]),
    );
    return {
      ...describeRange(range),
      total: sum(Object.values(totals)),
      previous_total: sum(Object.values(earlier)),
      totals,
      previous: earlier,
      by_status,
      detectors: detectors.map(({ source, findings: count }) => ({
        source: String(source),
        findings: Number(count),
      })),
      types: types.map(({ type, findings: count }) => ({
        type: String(type),
        findings: Number(count),
      })),
    };
  }),
];

async function readRequestStatistics(
  { db }: Deps,
  gateway_id: string,
  range: CountedRange,
  where: Record<string, string | number | undefined>,
): Promise<RequestStatistics> {
  const query = { gateway_id, where, ...range };
  const { consumer_id, registry_id, model } = where;
  const counter = (consumer_id ?? registry_id ?? model) ? "requests" : "outcomes";
  const latencies = {
    counter: "latencies",
    gateway_id,
    where: { registry_id },
    ...range,
  } as const;
  const outcome = ["status", "error_code"];
  // One query for all top lists: grouping takes most of the time.
  const [rows, earlier, groups, buckets] = await Promise.all([
    sumTraffic(db, { ...query, counter }, { by: outcome, width: range.width }),
    sumTraffic(db, { ...before(query), counter }, { by: outcome }),
    sumTraffic(
      db,
      { ...query, counter: "requests" },
      { by: ["consumer_id", "registry_id", "model", "status"] },
    ),
    sumTraffic(db, latencies, { by: ["registry_id", "bucket"], width: range.width }),
  ]);
  const series = (name: string, matches = (_: CountRow) => true) =>
    toSeries(rows.filter(matches), range, () => name, name)[name] ?? emptySeries(range);
  return {
    ...describeRange(range),
    totals: toTotals(rows),
    previous: toTotals(earlier),
    by_status: toSeries(rows, range, (row) => `${String(row.status)[0]}xx`, "requests"),
    rate_limited: series("requests", isRateLimited),
    input_tokens: series("input_tokens"),
    output_tokens: series("output_tokens"),
    registries: findTop(groups, "registry_id").map(([registry_id, { requests }]) => ({
      registry_id,
      requests,
      ...toLatencies(
        buckets.filter((row) => row.registry_id === registry_id),
        range,
      ),
    })),
    consumers: findTop(groups, "consumer_id").map(([consumer_id, { requests, errors }]) => ({
      consumer_id,
      requests,
      errors,
    })),
    models: findTop(groups, "model").map(([model, totals]) => ({
      model,
      requests: totals.requests,
      input_tokens: totals.input_tokens,
      output_tokens: totals.output_tokens,
    })),
    errors: toTopErrors(rows),
  };
}

interface CountedRange {
  /** Length of the intervals that are returned. */
  width: number;
  from: number;
  to: number;
}

const DAY = 86_400;
const WIDTHS = [60, 300, 900, 3600, 6 * 3600, DAY, 7 * DAY];
/** Intervals of a chart. */
const MAX_INTERVALS = 100;
const MINUTES_STORED = STEPS[0].stored_s;
const MAX_RANGE = 400 * DAY;
/** A later range ends in the year 10000, which RFC 3339 cannot express. */
const LAST_TIME = Date.UTC(9999, 0) / 1000;

function selectRange(
  deps: Deps,
  query: { from?: string | undefined; to?: string | undefined },
): CountedRange {
  const now = deps.now().getTime() / 1000;
  const to = query.to === undefined ? now : Date.parse(query.to) / 1000;
  const from = query.from === undefined ? to - DAY : Date.parse(query.from) / 1000;
  if (from < 0 || to > LAST_TIME) {
    throw new AppError("validation_failed", "from, to: must be in the years 1970 to 9998.");
  }
  if (from >= to) throw new AppError("validation_failed", "from: must be before `to`.");
  if (to - from > MAX_RANGE) {
    throw new AppError("validation_failed", "from: the range must not exceed 400 days.");
  }
  // Also in the range before. An hour more, because both are extended to whole intervals.
  const isRecent = from - (to - from) - 3600 > now - MINUTES_STORED;
  const width =
    WIDTHS.find(
      (seconds) => (to - from) / seconds <= MAX_INTERVALS && (isRecent || seconds >= 3600),
    ) ?? 7 * DAY;
  return {
    width,
    from: Math.floor(from / width) * width,
    to: Math.ceil(to / width) * width,
  };
}

/** Returns the query for the range of the same length before. */
const before = <Query extends { from: number; to: number }>(query: Query): Query => ({
  ...query,
  from: query.from - (query.to - query.from),
  to: query.from,
});

const describeRange = ({ from, to, width }: CountedRange) => ({
  from: new Date(from * 1000).toISOString(),
  to: new Date(to * 1000).toISOString(),
  step_s: width,
});

const emptySeries = ({ from, to, width }: CountedRange): number[] =>
  new Array((to - from) / width).fill(0);

/** Returns one series of sums for each name. */
function toSeries(
  rows: readonly CountRow[],
  range: CountedRange,
  nameOf: (row: CountRow) => string,
  summed: string,
): Record<string, number[]> {
  const all = new Map<string, number[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const series = all.get(name) ?? emptySeries(range);
    const at = (Number(row.start) - range.from) / range.width;
    series[at] = (series[at] ?? 0) + Number(row[summed]);
    all.set(name, series);
  }
  return Object.fromEntries(all);
}

const isError = (row: CountRow): boolean => Number(row.status) >= 400;
const isRateLimited = (row: CountRow): boolean => row.error_code === "rate_limited";

function toTotals(rows: readonly CountRow[]): RequestTotals {
  const total = (name: string, matches = (_: CountRow) => true) =>
    sum(rows.filter(matches).map((row) => Number(row[name])));
  return {
    requests: total("requests"),
    errors: total("requests", isError),
    rate_limited: total("requests", isRateLimited),
    input_tokens: total("input_tokens"),
    output_tokens: total("output_tokens"),
  };
}

/** Returns the values of a label with the most requests, with their totals. Leaves out an empty label. */
function findTop(rows: readonly CountRow[], label: string): [string, RequestTotals][] {
  const grouped = Map.groupBy(rows, (row) => String(row[label]));
  grouped.delete("");
  return [...grouped]
    .map(([value, own]): [string, RequestTotals] => [value, toTotals(own)])
    .sort(([one, first], [other, second]) =>
      first.requests === second.requests
        ? one < other
          ? -1
          : 1
        : second.requests - first.requests,
    )
    .slice(0, TOP);
}

function toTopErrors(rows: readonly CountRow[]): RequestStatistics["errors"] {
  const grouped = Map.groupBy(rows.filter(isError), (row) => `${row.status} ${row.error_code}`);
  return [...grouped.values()]
    .map((own) => ({
      status: Number(own[0]?.status),
      error_code: own[0]?.error_code ? String(own[0].error_code) : null,
      requests: sum(own.map((row) => Number(row.requests))),
    }))
    .sort((one, other) => other.requests - one.requests)
    .slice(0, TOP);
}

function toLatencies(rows: readonly CountRow[], range: CountedRange) {
  const intervals = emptySeries(range).map(() => new Map<number, number>());
  const whole = new Map<number, number>();
  for (const row of rows) {
    const counts = intervals[(Number(row.start) - range.from) / range.width];
    for (const each of [counts, whole]) {
      each?.set(Number(row.bucket), (each.get(Number(row.bucket)) ?? 0) + Number(row.requests));
    }
  }
  return {
    p50_ms: findQuantile(whole, 0.5),
    p95_ms: findQuantile(whole, 0.95),
    p50_over_time: intervals.map((counts) => findQuantile(counts, 0.5)),
    p95_over_time: intervals.map((counts) => findQuantile(counts, 0.95)),
  };
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0);

const mapValues = <In, Out>(record: Record<string, In>, change: (value: In) => Out) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
