/** Defines every metric: name, description and source. docs/metrics.md is generated from it. */

import project from "../../package.json" with { type: "json" };
import type { ConfigFileWatch } from "../config-file/watch.ts";
import { PLANES } from "../contract/endpoint.ts";
import { DIRECTIONS } from "../contract/guard/evaluate.ts";
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
  configFile: Pick<ConfigFileWatch, "isApplied"> | undefined;
}

/** Metrics of any process, including the supervisor of a group of workers. */
export const PROCESS_METRICS: readonly Metric<unknown>[] = [
  {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "User and system CPU time of the process.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Resident memory of the process.",
    read: () => process.memoryUsage.rss(),
  },
  {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "Start time of the process, as Unix time.",
    read: () => startedAt().getTime() / 1000,
  },
];

/** Labels must not identify a consumer, a user or a client: metrics are for operators of machines. */
export const METRICS: readonly Metric<MetricSources>[] = [
  {
    name: "portcullis_requests_total",
    type: "counter",
    help: "Responses started, by plane (the data plane is gateway) and status class.",
    labels: ["plane", "status"],
    read: ({ counts }) =>
      PLANES.flatMap((plane) => samplesOf(counts.statuses[plane], (status) => [plane, status])),
  },
  {
    name: "portcullis_errors_total",
    type: "counter",
    help: "Error responses, by code (see docs/errors.md).",
    labels: ["code"],
    read: ({ counts }) => samplesOf(counts.errors),
  },
  {
    name: "portcullis_requests_in_flight",
    type: "gauge",
    help: "Data-plane requests in progress, until the last byte of their responses.",
    read: ({ deps }) => getLiveState(deps).metrics.in_flight,
  },
  {
    name: "portcullis_request_duration_seconds",
    type: "histogram",
    help: "Duration of data-plane requests, until the last byte of the response.",
    labels: ["endpoint"],
    read: ({ deps }) => samplesOf(getLiveState(deps).metrics.duration),
  },
  {
    name: "portcullis_request_first_byte_seconds",
    type: "histogram",
    help: "Time of data-plane requests until the first byte of the upstream's response.",
    labels: ["endpoint"],
    read: ({ deps }) => samplesOf(getLiveState(deps).metrics.first_byte),
  },
  {
    name: "portcullis_held_bytes",
    type: "gauge",
    help: "Request bodies of data-plane requests and evaluations held in memory and in temporary files.",
    read: ({ deps }) => deps.heldBytes.reserved,
  },
  {
    name: "portcullis_held_bytes_max",
    type: "gauge",
    help: "Maximum of portcullis_held_bytes (IN_FLIGHT_MIB): beyond it, or beyond three quarters for one consumer or collector, requests are rejected as overloaded.",
    read: ({ deps }) => deps.settings.IN_FLIGHT_MIB * 1024 * 1024,
  },
  {
    name: "portcullis_plugin_refusals_total",
    type: "counter",
    help: "Data-plane requests that a plugin of the gateway rejected.",
    labels: ["plugin"],
    read: ({ deps }) => samplesOf(getLiveState(deps).metrics.rejections),
  },
  {
    name: "portcullis_rate_limit_checks_total",
    type: "counter",
    help: "Requests that the rate limiter checked, by store: local is the memory of this node while Redis is unavailable.",
    labels: ["store"],
    read: ({ deps }) => samplesOf(deps.limiter.tally.checks),
  },
  {
    name: "portcullis_rate_limit_refusals_total",
    type: "counter",
    help: "Requests that the rate limiter rejected, by type of the limit.",
    labels: ["type"],
    read: ({ deps }) => samplesOf(deps.limiter.tally.refused),
  },
  {
    name: "portcullis_rate_limit_store_local",
    type: "gauge",
    help: "1 while Redis is unavailable and this node counts alone, else 0.",
    read: ({ deps }) => Number(deps.limiter.store.isLocal()),
  },
  {
    name: "portcullis_rate_limit_subjects",
    type: "gauge",
    help: "Subjects of rate limits in the memory of this process.",
    read: ({ deps }) => deps.limiter.store.size(),
  },
  {
    name: "portcullis_upstream_attempts_total",
    type: "counter",
    help: "Requests sent to a registry, by status class or error code.",
    labels: ["registry_id", "provider", "outcome"],
    read: ({ deps }) =>
      registriesOf(deps).flatMap((registry) =>
        samplesOf(registry.outcomes, (outcome) => [...labelsOf(registry), outcome]),
      ),
  },
  {
    name: "portcullis_upstream_in_flight",
    type: "gauge",
    help: "Requests in progress at a registry, until the last byte of their responses.",
    labels: ["registry_id", "provider"],
    read: ({ deps }) => perRegistry(deps, ({ in_flight }) => in_flight),
  },
  {
    name: "portcullis_upstream_latency_seconds",
    type: "gauge",
    help: "Recent time until a registry's response headers, as weighted by the latency algorithm.",
    labels: ["registry_id", "provider"],
    read: ({ deps }) => perRegistry(deps, ({ latency_ms }) => latency_ms / 1000),
  },
  {
    name: "portcullis_upstream_circuit_open",
    type: "gauge",
    help: "1 while a registry's circuit is open, until a request succeeds again, else 0.",
    labels: ["registry_id", "provider"],
    read: ({ deps }) => perRegistry(deps, ({ open_until }) => Number(open_until !== 0)),
  },
  {
    name: "portcullis_events_waiting",
    type: "gauge",
    help: "Events of data-plane requests in the write queue.",
    read: ({ events }) => events.waiting(),
  },
  {
    name: "portcullis_events_lost_total",
    type: "counter",
    help: "Events of data-plane requests that were lost: the queue was full, or the database refused them.",
    read: ({ events }) => events.lost(),
  },
  {
    name: "portcullis_evaluations_total",
    type: "counter",
    help: "Evaluations recorded in Activity, by direction and status.",
    labels: ["direction", "status"],
    read: ({ evaluations }) =>
      DIRECTIONS.flatMap((direction) =>
        samplesOf(evaluations.statuses[direction], (status) => [direction, status]),
      ),
  },
  {
    name: "portcullis_evaluations_waiting",
    type: "gauge",
    help: "Events of evaluations in the write queue.",
    read: ({ evaluations }) => evaluations.waiting(),
  },
  {
    name: "portcullis_evaluations_lost_total",
    type: "counter",
    help: "Events of evaluations that were lost: the queue was full, or the database refused them.",
    read: ({ evaluations }) => evaluations.lost(),
  },
  {
    name: "portcullis_evaluations_unrecorded_total",
    type: "counter",
    help: "Evaluations whose event was not on disk when the response was due; the fail mode decided the verdict.",
    read: ({ evaluations }) => evaluations.unrecorded(),
  },
  {
    name: "portcullis_config_revision",
    type: "gauge",
    help: "Revision of the configuration in use on this node.",
    read: ({ deps }) => deps.snapshot().revision,
  },
  {
    name: "portcullis_config_file_applied",
    type: "gauge",
    help: "0 while the configuration file (PORTCULLIS_CONFIG) is rejected: the program would not start with it. Else 1.",
    read: ({ configFile }) => Number(configFile?.isApplied() ?? true),
  },
  {
    name: "portcullis_database_up",
    type: "gauge",
    help: "1 if the database was available at the last check, else 0.",
    read: ({ config }) => Number(config.isReachable()),
  },
  {
    name: "portcullis_data_folder_writable",
    type: "gauge",
    help: "1 if the data folder was writable at the last check, else 0.",
    read: ({ folder }) => Number(folder.problem() === undefined),
  },
  {
    name: "portcullis_build_info",
    type: "gauge",
    help: "Always 1; the labels are the release and the Bun version.",
    labels: ["version", "bun"],
    read: () => [[[project.version, Bun.version], 1]],
  },
  ...PROCESS_METRICS,
];

const samplesOf = (
  values: Counts | ReadonlyMap<string, Histogram>,
  labels = (key: string): string[] => [key],
): Sample[] => [...values].map(([key, value]) => [labels(key), value]);

/** Returns the registries that received a request since the start or their last change of address. */
const registriesOf = (deps: Deps): RegistryState[] => [...getLiveState(deps).registries.values()];

const labelsOf = ({ view }: RegistryState): string[] => [view.id, view.provider.kind];

const perRegistry = (deps: Deps, read: (registry: RegistryState) => number): Sample[] =>
  registriesOf(deps).map((registry) => [labelsOf(registry), read(registry)]);
