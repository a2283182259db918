/** Requests over time by status, for the filters that statistics support. */
import { Chart } from "../charts/chart.tsx";
import { requestSeries } from "../charts/series.ts";
import { gateways } from "../endpoints.ts";
import { useLocation } from "../router.tsx";
import { Ready } from "../ui/page.tsx";
import { rangeStart, readRange, readRangeBounds, selectTimes } from "../ui/time-range.ts";
import { useLoad } from "../use-load.ts";

const FILTERS = ["consumer_id", "registry_id", "status", "error_code"];

interface RequestVolumeProps {
  gateway_id: string;
  /** Time of the list below. */
  as_of: string;
  /** Filters of the list below. */
  filters: readonly string[];
}

export function RequestVolume({ gateway_id, as_of, filters }: RequestVolumeProps) {
  const { search } = useLocation();
  const counted = Object.fromEntries(FILTERS.map((name) => [name, search.get(name) || undefined]));
  const key = JSON.stringify([gateway_id, as_of, readRange(search), counted]);
  const loaded = useLoad(key, (read) => {
    const { from = rangeStart("30d"), to } = readRangeBounds(search);
    return read(gateways.statistics, { params: { gateway_id }, query: { ...counted, from, to } });
  });
  // The counts would not match the list.
  if (filters.some((name) => !FILTERS.includes(name) && search.get(name))) return null;
  return (
    <Ready of={loaded} what="The chart">
      {(statistics) => (
        <Chart
          title="Requests by status"
          kind="stacked"
          from={statistics.from}
          step_s={statistics.step_s}
          series={requestSeries(statistics)}
          onSelect={selectTimes}
        />
      )}
    </Ready>
  );
}
