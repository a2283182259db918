/** Requests over time by status, for the filters that statistics support. */
import { Chart } from "../charts/chart.tsx";
import { requestSeries } from "../charts/series.ts";
import { gateways } from "../endpoints.ts";
import { CHART_REFRESH_MS, useLive } from "../live/live-stream.ts";
import { useLocation } from "../router.tsx";
import { Ready } from "../ui/page.tsx";
import { rangeStart, readRange, readRangeBounds, selectTimes } from "../ui/time-range.ts";
import { useLoad } from "../use-load.ts";

const FILTERS = ["consumer_id", "registry_id", "status", "error_code"];
/** Each status class is a series. */
const CLASS = "status_class";

interface ChartProps {
  gateway_id: string;
  /** Reloads of the list below. */
  turn: number;
  /** False: the list below is paused. */
  isLive: boolean;
}

interface RequestVolumeProps extends ChartProps {
  /** Filters of the list below. */
  filters: readonly string[];
}

export function RequestVolume({ filters, ...props }: RequestVolumeProps) {
  const { search } = useLocation();
  const uncounted = filters.filter((name) => !FILTERS.includes(name) && name !== CLASS);
  // The counts would not match the list.
  return uncounted.some((name) => search.get(name)) ? null : <RequestChart {...props} />;
}

function RequestChart({ gateway_id, turn, isLive }: ChartProps) {
  const { search } = useLocation();
  const counted = Object.fromEntries(FILTERS.map((name) => [name, search.get(name) || undefined]));
  const key = JSON.stringify([gateway_id, turn, readRange(search), counted]);
  const loaded = useLoad(key, (read) => {
    const { from = rangeStart("30d"), to } = readRangeBounds(search);
    return read(gateways.statistics, { params: { gateway_id }, query: { ...counted, from, to } });
  });
  useLive(isLive ? ["requests"] : [], loaded.reload, CHART_REFRESH_MS);
  const status_class = search.get(CLASS);
  return (
    <Ready of={loaded} what="The chart">
      {(statistics) => (
        <Chart
          title="Requests by status"
          kind="stacked"
          from={statistics.from}
          step_s={statistics.step_s}
          series={requestSeries(statistics).filter(({ name }) => isSelected(name, status_class))}
          onSelect={selectTimes}
        />
      )}
    </Ready>
  );
}

/** The class `errors` selects two series. */
const isSelected = (name: string, status_class: string | null): boolean =>
  !status_class ||
  name === status_class ||
  (status_class === "errors" && (name === "4xx" || name === "5xx"));
