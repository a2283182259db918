/** Columns of an evaluation. Each cell filters the list by its value. */
import type { EvaluationEvent } from "../../contract/guard/activity.ts";
import type { Finding } from "../../contract/guard/evaluate.ts";
import { Timestamp } from "../ui/badge.tsx";
import type { Column } from "../ui/table.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import { FilterButton } from "./activity-filters.tsx";
import type { ActivityFilter } from "./activity-query.ts";
import { sourceName } from "./findings.tsx";

export const activityColumns = (show: (id: string) => void): Column<EvaluationEvent>[] => [
  {
    head: "Time",
    cell: ({ id, time }) => (
      <button type="button" className="link" onClick={() => show(id)}>
        <Timestamp at={time} precise />
      </button>
    ),
  },
  {
    head: "Status",
    cell: ({ status }) => (
      <FilterButton name="status" value={status}>
        <VerdictBadge status={status} />
      </FilterButton>
    ),
  },
  {
    head: "Traffic",
    cell: ({ direction, protocol }) => (
      <div className="row tight">
        <Cell name="direction" value={direction} />
        <Cell name="protocol" value={protocol} />
      </div>
    ),
  },
  {
    head: "Consumer",
    cell: (event) => (
      <FilterButton name="consumer_id" value={event.consumer_id}>
        {consumerName(event)}
      </FilterButton>
    ),
  },
  { head: "Application", cell: (event) => <Cell name="application" value={event.application} /> },
  {
    head: "Collector",
    cell: ({ collector_id, collector_name }) => (
      <FilterButton name="collector_id" value={collector_id}>
        {collector_name}
      </FilterButton>
    ),
  },
  {
    head: "Policy",
    cell: ({ policy_id, policy_name }) => (
      <FilterButton name="policy_id" value={policy_id}>
        {policy_name}
      </FilterButton>
    ),
  },
  { head: "Findings", cell: ({ findings }) => <Sources findings={findings} /> },
  { head: "ms", number: true, cell: ({ latency_ms }) => formatMs(latency_ms) },
];

/** Returns whether the evaluation belongs to a request of the data plane. */
export const isDataPlane = ({ gateway_id, protocol, attributes }: EvaluationEvent): boolean =>
  gateway_id !== null && protocol === "llm" && attributes["consumer.type"] === "consumer";

/** Returns the name of a consumer of a gateway, which is the application of its requests, or the id. */
export const consumerName = (event: EvaluationEvent): string | null =>
  isDataPlane(event) ? (event.application ?? event.consumer_id) : event.consumer_id;

export const formatMs = (ms: number): string =>
  ms.toLocaleString(undefined, { maximumFractionDigits: ms < 10 ? 1 : 0 });

const Cell = ({ name, value }: { name: ActivityFilter; value: string | null }) => (
  <FilterButton name={name} value={value}>
    {value}
  </FilterButton>
);

function Sources({ findings }: { findings: readonly Finding[] }) {
  // The filter takes the id of a detector, or the name of a gate.
  const sources = new Map(
    findings.map((finding) => [
      finding.source.detector_id ?? sourceName(finding),
      sourceName(finding),
    ]),
  );
  if (sources.size === 0) return <span className="muted">none</span>;
  return [...sources].map(([id, name]) => (
    <FilterButton key={id} name="detector" value={id}>
      {name}
    </FilterButton>
  ));
}
