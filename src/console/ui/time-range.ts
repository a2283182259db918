/** Time range of a list of events, stored in the address as `range`. */
import { now } from "../../lib/time/clock.ts";

const RANGES: Record<string, { text: string; ms: number }> = {
  "15m": { text: "Last 15 minutes", ms: 900_000 },
  "1h": { text: "Last hour", ms: 3_600_000 },
  "24h": { text: "Last 24 hours", ms: 86_400_000 },
  "7d": { text: "Last 7 days", ms: 604_800_000 },
};

export const RANGE_OPTIONS = [
  ...Object.entries(RANGES).map(([range, { text }]) => [range, text] as const),
  ["all", "All time"] as const,
];

/** Returns the range in the address, or the default for a missing or unknown one. */
export function readRange(search: URLSearchParams): string {
  const range = search.get("range") ?? "";
  return Object.hasOwn(RANGES, range) || range === "all" ? range : "1h";
}

/** Returns the start of the selected range; undefined for all time. */
export const readRangeStart = (search: URLSearchParams): string | undefined =>
  rangeStart(readRange(search));

export function rangeStart(name: string): string | undefined {
  const range = RANGES[name];
  return range && new Date(now().getTime() - range.ms).toISOString();
}
