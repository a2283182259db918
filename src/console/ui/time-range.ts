/** Time range of charts and lists of events, stored in the address as `range`, or as `from` and `to`. */
import { now } from "../../lib/time/clock.ts";
import { formatTimeRange } from "../preferences.ts";
import { changeQuery } from "../router.tsx";

const RANGES: Record<string, { text: string; ms: number }> = {
  "15m": { text: "Last 15 minutes", ms: 900_000 },
  "1h": { text: "Last hour", ms: 3_600_000 },
  "24h": { text: "Last 24 hours", ms: 86_400_000 },
  "7d": { text: "Last 7 days", ms: 604_800_000 },
  "30d": { text: "Last 30 days", ms: 2_592_000_000 },
};

const NAMED = Object.entries(RANGES).map(([range, { text }]) => [range, text] as const);
const CUSTOM = "custom";

/** Returns the options of a list; `custom` is offered only while it is selected. */
export function listRanges(search: URLSearchParams): (readonly [string, string])[] {
  const custom = readCustomRange(search);
  const text = custom && formatTimeRange(custom.from, custom.to);
  return [...NAMED, ["all", "All time"], ...(text ? [[CUSTOM, text] as const] : [])];
}

/** Options of charts, which have a beginning. */
export const CHART_RANGES = NAMED;

/** Returns the range in the address, or the default for a missing or unknown one. */
export function readRange(search: URLSearchParams, otherwise = "1h"): string {
  const custom = readCustomRange(search);
  if (custom) return `${CUSTOM} ${custom.from} ${custom.to}`;
  const range = search.get("range") ?? "";
  return Object.hasOwn(RANGES, range) || range === "all" ? range : otherwise;
}

/** Returns the value of `readRange` that is an option of `listRanges`. */
export const toRangeOption = (range: string): string => range.split(" ", 1)[0] ?? range;

/** Returns the bounds of the selected range; both are undefined for all time. */
export function readRangeBounds(
  search: URLSearchParams,
  otherwise?: string,
): {
  from: string | undefined;
  to: string | undefined;
} {
  const from = rangeStart(readRange(search, otherwise));
  return readCustomRange(search) ?? { from, to: undefined };
}

export function rangeStart(name: string): string | undefined {
  const range = RANGES[name];
  return range && new Date(now().getTime() - range.ms).toISOString();
}

/** Selects a named range. */
export const selectRange = (range: string): void =>
  range === CUSTOM ? undefined : changeQuery({ range, from: undefined, to: undefined });

/** Selects the range between two times. */
export const selectTimes = (from: Date, to: Date): void =>
  changeQuery({ range: undefined, from: from.toISOString(), to: to.toISOString() });

function readCustomRange(search: URLSearchParams): { from: string; to: string } | undefined {
  const [from, to] = [search.get("from"), search.get("to")];
  if (!from || !to || !(Date.parse(from) < Date.parse(to))) return undefined;
  return { from, to };
}
