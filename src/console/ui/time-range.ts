/** How far back a list of events goes; the choice stands in the address as `range`. */
import { now } from "../../lib/time/clock.ts";

const RANGES: Record<string, { text: string; ms: number }> = {
  "15m": { text: "Last 15 minutes", ms: 900_000 },
  "1h": { text: "Last hour", ms: 3_600_000 },
  "24h": { text: "Last 24 hours", ms: 86_400_000 },
  "7d": { text: "Last 7 days", ms: 604_800_000 },
};

export const RANGE_OPTIONS = [
  ...Object.entries(RANGES).map(([range, { text }]) => [range, text] as const),
  ["all", "All times"] as const,
];

/** Anybody can write an address: a range that there is not is the one that is meant without any. */
export function readRange(search: URLSearchParams): string {
  const range = search.get("range") ?? "";
  return Object.hasOwn(RANGES, range) || range === "all" ? range : "1h";
}

/** When the chosen time begins; undefined: it goes back to the first event. */
export const readRangeStart = (search: URLSearchParams): string | undefined =>
  rangeStart(readRange(search));

export function rangeStart(name: string): string | undefined {
  const range = RANGES[name];
  return range && new Date(now().getTime() - range.ms).toISOString();
}
