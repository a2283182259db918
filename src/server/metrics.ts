/** Every metric of the program: its name, what it tells and where it is read. docs/metrics.md is made from it. */
import project from "../../package.json" with { type: "json" };
import { PLANES } from "../contract/endpoint.ts";
import { getLiveState, type RegistryState } from "../dataplane/live-state.ts";
import type { Deps } from "../deps.ts";
import type { Counts, Histogram, Metric, Sample } from "../lib/metrics.ts";
import { startedAt } from "../lib/time/clock.ts";
import type { ConfigWatch } from "../snapshot/watch-config.ts";
import type { ResponseCounts } from "./http/response-counts.ts";
import type { FolderWatch } from "./watch-folders.ts";
import type { EvaluationWriter } from "./writers/write-evaluations.ts";
import type { EventWriter } from "./writers/write-events.ts";

export interface MetricSources {
  deps: Deps;
  counts: ResponseCounts;
  events: Pick<EventWriter, "waiting" | "lost">;
  evaluations: Pick<EvaluationWriter, "waiting" | "lost" | "unrecorded" | "statuses">;
  config: Pick<ConfigWatch, "isReachable">;
  folder: Pick<FolderWatch, "problem">;
}

/** A label must not name a consumer, a user or a client: whoever watches machines is not meant to see them. */
export const METRICS: readonly Metric<MetricSources>[] = [
  {
    name: "portcullis_requests_total",
    type: "counter",
    help: "Answers begun, by plane (the data plane is gateway) and class of status.",
    labels: ["plane", "status"],
    read: ({ counts }) =>
      PLANES.flatMap((plane) => samplesOf(counts.statuses[plane], (status) => [plane, status])),
  },
  {
    name: "portcullis_errors_total",
    type: "counter",
    help: "Errors answered, by the code that docs/errors.md explains.",
    labels: ["code"],
    read: ({ counts }) => samplesOf(counts.errors),
  },
  {
    name: "portcullis_requests_in_flight",
    type: "gauge",
    help: "Data-plane requests under way, until the last byte of their answers.",
    read: ({ deps }) => getLiveState(deps).metrics.in_flight,
  },
  {
    name: "portcullis_request_duration_seconds",
    type: "histogram",
    help: "Time of data-plane requests until the last byte of the answer.",
    labels: ["endpoint"],
    read: ({ deps }) => samplesOf(getLiveState(deps).metrics.duration),
  },
  {
    name: "portcullis_request_first_byte_seconds",
    type: "histogram",
    help: "Time of data-plane requests until the first byte of an upstream's answer.",
    labels: ["endpoint"],
    read: ({ deps }) => samplesOf(getLiveState(deps).metrics.first_byte),
  },
  {
    name: "portcullis_held_bytes",
    type: "gauge",
    help: "Request bodies held in memory and in temporary files.",
    read: ({ deps }) => deps.heldBytes.reserved,
  },
  {
    name: "portcullis_held_bytes_max",
    type: "gauge",
    help: "How much of them may be held (IN_FLIGHT_MIB): beyond it requests are refused as overloaded.",
    read: ({ deps }) => deps.settings.IN_FLIGHT_MIB * 1024 * 1024,
  },
  {
    name: "portcullis_plugin_refusals_total",
    type: "counter",
    help: "Data-plane requests that a plugin of the gateway refused.",
    labels: ["plugin"],
    read: ({ deps }) => samplesOf(getLiveState(deps).metrics.rejections),
  },
  {
    name: "portcullis_rate_limit_checks_total",
    type: "counter",
    help: "Requests that the rate limiter looked at, by where it counted: local is the memory of this node while Redis is away.",
    labels: ["store"],
    read: ({ deps }) => samplesOf(deps.limiter.tally.checks),
  },
  {
    name: "portcullis_rate_limit_refusals_total",
    type: "counter",
    help: "Requests that the rate limiter refused, by the type of limit that was named.",
    labels: ["type"],
    read: ({ deps }) => samplesOf(deps.limiter.tally.refused),
  },
  {
    name: "portcullis_rate_limit_store_local",
    type: "gauge",
    help: "1 while Redis is away and this node counts on its own, else 0.",
    read: ({ deps }) => Number(deps.limiter.store.isLocal()),
  },
  {
    name: "portcullis_rate_limit_subjects",
    type: "gauge",
    help: "Subjects of rate limits that are remembered in the memory of this process.",
    read: ({ deps }) => deps.limiter.store.size(),
  },
  {
    name: "portcullis_upstream_attempts_total",
    type: "counter",
    help: "Requests sent to a registry, by class of status or code of the error they ended with.",
    labels: ["registry_id", "provider", "outcome"],
    read: ({ deps }) =>
      registriesOf(deps).flatMap((registry) =>
        samplesOf(registry.outcomes, (outcome) => [...labelsOf(registry), outcome]),
      ),
  },
  {
    name: "portcullis_upstream_in_flight",
    type: "gauge",
    help: "Requests under way at a registry, until the last byte of their answers.",
    labels: ["registry_id", "provider"],
    read: ({ deps }) => perRegistry(deps, ({ in_flight }) => in_flight),
  },
  {
    name: "portcullis_upstream_latency_seconds",
    type: "gauge",
    help: "Recent time until the head of a registry's answer, as the latency algorithm weighs it.",
    labels: ["registry_id", "provider"],
    read: ({ deps }) => perRegistry(deps, ({ latency_ms }) => latency_ms / 1000),
  },
  {
    name: "portcullis_upstream_circuit_open",
    type: "gauge",
    help: "1 from the failures that opened a registry's circuit until a request passes again, else 0.",
    labels: ["registry_id", "provider"],
    read: ({ deps }) => perRegistry(deps, ({ open_until }) => Number(open_until !== 0)),
  },
  {
    name: "portcullis_events_waiting",
    type: "gauge",
    help: "Events of data-plane requests that are not written yet.",
    read: ({ events }) => events.waiting(),
  },
  {
    name: "portcullis_events_lost_total",
    type: "counter",
    help: "Events that are not written: the queue was full, or the database refused them.",
    read: ({ events }) => events.lost(),
  },
  {
    name: "portcullis_evaluations_total",
    type: "counter",
    help: "Evaluations that Activity tells of, by status.",
    labels: ["status"],
    read: ({ evaluations }) => samplesOf(evaluations.statuses),
  },
  {
    name: "portcullis_evaluations_waiting",
    type: "gauge",
    help: "Events of evaluations that are not written yet.",
    read: ({ evaluations }) => evaluations.waiting(),
  },
  {
    name: "portcullis_evaluations_lost_total",
    type: "counter",
    help: "Events of evaluations that are not written: the queue was full, or the database refused them.",
    read: ({ evaluations }) => evaluations.lost(),
  },
  {
    name: "portcullis_evaluations_unrecorded_total",
    type: "counter",
    help: "Evaluations whose event was not on disk when their response was due: passed or refused by the fail mode.",
    read: ({ evaluations }) => evaluations.unrecorded(),
  },
  {
    name: "portcullis_config_revision",
    type: "gauge",
    help: "The revision of the configuration that is in force on this node.",
    read: ({ deps }) => deps.snapshot().revision,
  },
  {
    name: "portcullis_database_up",
    type: "gauge",
    help: "1 when the database answered when it was last asked, else 0.",
    read: ({ config }) => Number(config.isReachable()),
  },
  {
    name: "portcullis_data_folder_writable",
    type: "gauge",
    help: "1 when the data folder took a file when it was last checked, else 0.",
    read: ({ folder }) => Number(folder.problem() === undefined),
  },
  {
    name: "portcullis_build_info",
    type: "gauge",
    help: "Always 1; the labels say which release this is, and on which Bun it runs.",
    labels: ["version", "bun"],
    read: () => [[[project.version, Bun.version], 1]],
  },
  {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "CPU time of the process, user and system.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Memory of the process that is in RAM.",
    read: () => process.memoryUsage.rss(),
  },
  {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "When the process started, as a unix time.",
    read: () => startedAt().getTime() / 1000,
  },
];

const samplesOf = (
  values: Counts | ReadonlyMap<string, Histogram>,
  labels = (key: string): string[] => [key],
): Sample[] => [...values].map(([key, value]) => [labels(key), value]);

/** Those that were sent something since the start or their last change of address. */
const registriesOf = (deps: Deps): RegistryState[] => [...getLiveState(deps).registries.values()];

const labelsOf = ({ view }: RegistryState): string[] => [view.id, view.provider.kind];

const perRegistry = (deps: Deps, read: (registry: RegistryState) => number): Sample[] =>
  registriesOf(deps).map((registry) => [labelsOf(registry), read(registry)]);
