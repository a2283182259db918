/** Evaluations over time by verdict, unless a filter is set that statistics do not support. */
import { Chart } from "../charts/chart.tsx";
import { verdictSeries } from "../charts/series.ts";
import { activity } from "../endpoints.ts";
import { CHART_REFRESH_MS, useLive } from "../live/live-stream.ts";
import { useLocation } from "../router.tsx";
import { Ready } from "../ui/page.tsx";
import { rangeStart, readRange, readRangeBounds, selectTimes } from "../ui/time-range.ts";
import { useLoad } from "../use-load.ts";
import { FILTER_NAMES } from "./activity-query.ts";

/** A verdict is one of the series. */
const COUNTED: readonly string[] = ["collector_id", "status"];

interface ActivityVolumeProps {
  /** Reloads of the list below. */
  turn: number;
  /** False: the list below is paused. */
  isLive: boolean;
}

export function ActivityVolume(props: ActivityVolumeProps) {
  const { search } = useLocation();
  const uncounted = FILTER_NAMES.filter((name) => !COUNTED.includes(name));
  // The counts would not match the list.
  return uncounted.some((name) => search.get(name)) ? null : <ActivityChart {...props} />;
}

function ActivityChart({ turn, isLive }: ActivityVolumeProps) {
  const { search } = useLocation();
  const collector_id = search.get("collector_id") || undefined;
  const loaded = useLoad(JSON.stringify([turn, readRange(search), collector_id]), (read) => {
    const { from = rangeStart("30d"), to } = readRangeBounds(search);
    return read(activity.statistics, { params: {}, query: { collector_id, from, to } });
  });
  useLive(isLive ? ["evaluations"] : [], loaded.reload, CHART_REFRESH_MS);
  const status = search.get("status");
  return (
    <Ready of={loaded} what="The chart">
      {(statistics) => (
        <Chart
          title="Evaluations by verdict"
          kind="stacked"
          from={statistics.from}
          step_s={statistics.step_s}
          series={verdictSeries(statistics).filter(({ name }) => !status || name === status)}
          onSelect={selectTimes}
        />
      )}
    </Ready>
  );
}
