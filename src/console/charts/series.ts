/** Series of charts of requests and evaluations, with the same colors on every page. */
import type { ActivityStatistics, RequestStatistics } from "../../contract/statistics.ts";
import type { ChartSeries, ChartTone } from "./chart.tsx";

const STATUS_TONES: Record<keyof RequestStatistics["by_status"], ChartTone> = {
  "2xx": "good",
  "3xx": "plain",
  "4xx": "warn",
  "5xx": "danger",
};

const VERDICT_TONES: Record<keyof ActivityStatistics["by_status"], ChartTone> = {
  allow: "good",
  report: "plain",
  transform: "accent",
  ask: "warn",
  block: "danger",
  error: "other",
};

export const requestSeries = (statistics: RequestStatistics): ChartSeries[] =>
  toSeries(statistics, STATUS_TONES, ["2xx", "4xx", "5xx"]);

export const verdictSeries = (statistics: ActivityStatistics): ChartSeries[] =>
  toSeries(statistics, VERDICT_TONES, ["allow", "block"]);

/** Returns a series for each name with values, and for the names in `always`. */
function toSeries<Name extends string>(
  {
    by_status,
    from,
    to,
    step_s,
  }: { by_status: Partial<Record<Name, number[]>> } & Pick<
    RequestStatistics,
    "from" | "to" | "step_s"
  >,
  tones: Record<Name, ChartTone>,
  always: readonly Name[],
): ChartSeries[] {
  const zeros = new Array((Date.parse(to) - Date.parse(from)) / 1000 / step_s).fill(0);
  return (Object.keys(tones) as Name[])
    .filter((name) => by_status[name] || always.includes(name))
    .map((name) => ({ name, tone: tones[name], values: by_status[name] ?? zeros }));
}
