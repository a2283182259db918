/** Charts of a gateway: requests, latency, tokens and verdicts over time, and what causes most of them. */
import type { Gateway } from "../../contract/gateway/gateways.ts";
import type { ActivityStatistics, RequestStatistics } from "../../contract/statistics.ts";
import { formatMs } from "../activity/activity-columns.tsx";
import { Chart, formatValue } from "../charts/chart.tsx";
import { requestSeries, verdictSeries } from "../charts/series.ts";
import { activity, consumers, detectors, gateways, registries } from "../endpoints.ts";
import { CHART_REFRESH_MS, useLive } from "../live/live-stream.ts";
import { readNamesById } from "../read-all-pages.ts";
import { navigate, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { SelectField } from "../ui/fields/field.tsx";
import { Ready } from "../ui/page.tsx";
import { CHART_RANGES, rangeStart, readRange, selectRange } from "../ui/time-range.ts";
import { type Load, useLoad } from "../use-load.ts";
import { StatisticTiles } from "./statistic-tiles.tsx";
import { TopList } from "./top-list.tsx";

const REGISTRY_LINES = 5;
const TONES = ["accent", "good", "warn", "other", "danger"] as const;

interface DashboardData {
  requests: RequestStatistics;
  evaluations: ActivityStatistics | undefined;
  names: Names;
}

/** Loads the statistics of the range in the address. */
export function useDashboard(gateway: Gateway): Load<DashboardData> {
  const { allGateways } = useSession();
  const { search } = useLocation();
  const range = readRange(search, "24h");
  const params = { gateway_id: gateway.id };
  const loaded = useLoad(`${gateway.id} ${range}`, async (read) => {
    const from = rangeStart(range);
    const [requests, evaluations, consumerNames, registryNames, detectorNames] = await Promise.all([
      read(gateways.statistics, { params, query: { from } }),
      allGateways ? read(activity.statistics, { params: {}, query: { from } }) : undefined,
      readNamesById((query) => read(consumers.list, { params, query })),
      readNamesById((query) => read(registries.list, { params, query })),
      allGateways
        ? readNamesById((query) => read(detectors.list, { params: {}, query }))
        : NO_NAMES,
    ]);
    return { requests, evaluations, names: { consumerNames, registryNames, detectorNames } };
  });
  useLive(["requests", "evaluations"], loaded.reload, CHART_REFRESH_MS);
  return loaded;
}

interface DashboardProps {
  gateway: Gateway;
  loaded: Load<DashboardData>;
}

export function Dashboard({ gateway, loaded }: DashboardProps) {
  const { search } = useLocation();
  const range = readRange(search, "24h");
  return (
    <>
      <div className="toolbar">
        <SelectField label="Time" value={range} options={CHART_RANGES} onChange={selectRange} />
      </div>
      <Ready of={loaded} what="The dashboard">
        {({ requests, evaluations, names }) => (
          <>
            <StatisticTiles
              gateway={gateway}
              requests={requests}
              evaluations={evaluations}
              range={range}
            />
            <div className="dashboard">
              <RequestCharts path={`/gateways/${gateway.id}`} statistics={requests} names={names} />
              {evaluations && <VerdictCharts statistics={evaluations} names={names} />}
            </div>
          </>
        )}
      </Ready>
    </>
  );
}

/** In seconds from one second on, so that the labels of an axis are short. */
const toMs = (ms: number): string =>
  ms < 1000
    ? `${formatMs(ms)} ms`
    : `${(ms / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;

const NO_NAMES: ReadonlyMap<string, string> = new Map();

interface Names {
  consumerNames: ReadonlyMap<string, string>;
  registryNames: ReadonlyMap<string, string>;
  detectorNames: ReadonlyMap<string, string>;
}

interface RequestChartsProps {
  path: string;
  statistics: RequestStatistics;
  names: Names;
}

function RequestCharts({ path, statistics, names }: RequestChartsProps) {
  const { from, to, step_s } = statistics;
  const shared = { from, step_s };
  const open = (query: Record<string, string>) =>
    `${path}/requests?${new URLSearchParams({ from, to, ...query })}`;
  const nameOf = (known: ReadonlyMap<string, string>, id: string) => known.get(id) ?? "(deleted)";
  return (
    <>
      <Chart
        {...shared}
        title="Requests by status"
        kind="stacked"
        series={requestSeries(statistics)}
        onSelect={(start, end) =>
          navigate(open({ from: start.toISOString(), to: end.toISOString() }))
        }
      />
      <Chart
        {...shared}
        title="Latency of registries, 95th percentile"
        kind="lines"
        format={toMs}
        series={statistics.registries.slice(0, REGISTRY_LINES).map((registry, index) => ({
          name: nameOf(names.registryNames, registry.registry_id),
          tone: TONES[index] ?? "plain",
          values: registry.p95_over_time,
        }))}
      />
      <Chart
        {...shared}
        title="Tokens"
        kind="stacked"
        series={[
          { name: "Input", tone: "accent", values: statistics.input_tokens },
          { name: "Output", tone: "other", values: statistics.output_tokens },
        ]}
      />
      <TopList
        title="Consumers"
        columns={["Requests", "Failed"]}
        rows={statistics.consumers.map(({ consumer_id, requests, errors }) => ({
          name: nameOf(names.consumerNames, consumer_id),
          to: open({ consumer_id }),
          values: [requests, errors],
        }))}
      />
      <TopList
        title="Models"
        columns={["Requests", "Input tokens", "Output tokens"]}
        rows={statistics.models.map(({ model, requests, input_tokens, output_tokens }) => ({
          name: model,
          to: open({ model_sent: model }),
          values: [requests, input_tokens, output_tokens],
        }))}
      />
      <TopList
        title="Registries"
        columns={["Requests", "Median", "95th percentile"]}
        rows={statistics.registries.map(({ registry_id, requests, p50_ms, p95_ms }) => ({
          name: nameOf(names.registryNames, registry_id),
          to: open({ registry_id }),
          values: [requests, formatValue(p50_ms, toMs), formatValue(p95_ms, toMs)],
        }))}
      />
      <TopList
        title="Errors"
        columns={["Requests"]}
        rows={statistics.errors.map(({ status, error_code, requests }) => ({
          name: `${status} ${error_code ?? "from the upstream"}`,
          to: open({ status: `${status}`, ...(error_code ? { error_code } : {}) }),
          values: [requests],
        }))}
      />
    </>
  );
}

interface VerdictChartsProps {
  statistics: ActivityStatistics;
  names: Names;
}

function VerdictCharts({ statistics, names }: VerdictChartsProps) {
  const { from, to, step_s } = statistics;
  const open = (query: Record<string, string>) =>
    `/activity?${new URLSearchParams({ from, to, ...query })}`;
  return (
    <>
      <Chart
        title="Evaluations by verdict, all gateways"
        kind="stacked"
        from={from}
        step_s={step_s}
        series={verdictSeries(statistics)}
        onSelect={(start, end) =>
          navigate(open({ from: start.toISOString(), to: end.toISOString() }))
        }
      />
      <TopList
        title="Detectors and gates"
        columns={["Findings"]}
        rows={statistics.detectors.map(({ source, findings }) => ({
          name: names.detectorNames.get(source) ?? source,
          to: open({ detector: source }),
          values: [findings],
        }))}
      />
      <TopList
        title="Kinds of findings"
        columns={["Findings"]}
        rows={statistics.types.map(({ type, findings }) => ({
          name: type,
          to: open({ finding_type: type }),
          values: [findings],
        }))}
      />
    </>
  );
}
