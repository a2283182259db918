/** Messages between the supervisor of a group and its workers. */
import type { Readings } from "../../lib/metrics.ts";
import type { CounterCall, CounterResult } from "../../plugins/rate-limiter/group-counter.ts";
import type { FirstRun } from "../first-run.ts";
import type { Listener } from "../http/listen.ts";

/** Variable with a `WorkerPlace` as JSON, in the environment of a worker. */
export const WORKER_VARIABLE = "PORTCULLIS_WORKER";

/** Description of the group that the supervisor passes to a new worker. */
export interface WorkerPlace {
  /** 0 for the worker that runs periodic jobs and applies the configuration file. */
  index: number;
  /** True for the first worker of a group that is starting: no other worker runs. */
  alone: boolean;
  demo_url: string;
  /** Ports by listen address, as bound by the first worker. */
  ports: Listener["ports"];
}

export interface ReadyReport {
  urls: Listener["urls"];
  ports: Listener["ports"];
  first: FirstRun | null;
}

export interface WorkerReadings {
  worker: string;
  readings: Readings;
}

/** Requests of a worker. */
export interface ToSupervisor {
  ready: { body: ReadyReport; result: undefined };
  /** Rate limits of the group. */
  counters: { body: readonly CounterCall[]; result: CounterResult[] };
  /** Makes all other workers load the configuration; the response is sent when they have. */
  refreshOthers: { body: null; result: undefined };
  /** Makes all other workers write their events and counts to the database. */
  flushOthers: { body: null; result: undefined };
  /** Returns the metrics of all processes of the group. */
  readAll: { body: null; result: WorkerReadings[] };
}

/** Requests of the supervisor. */
export interface ToWorker {
  /** Shows that the event loop runs. */
  ping: { body: null; result: undefined };
  refresh: { body: null; result: undefined };
  flush: { body: null; result: undefined };
  read: { body: null; result: Readings };
}
