/** Counts requests and evaluations in memory, and adds them to the database every few seconds. */

import type { RequestEvent } from "../../contract/gateway/requests.ts";
import type { EvaluationEvent } from "../../contract/guard/activity.ts";
import type { Db } from "../../db/db.ts";
import { addTrafficCounts, type TrafficCount } from "../../db/tables/traffic-counts.ts";
import type { Log } from "../../lib/log.ts";
import { findLogBucket } from "../../lib/log-buckets.ts";
import { createCountQueue } from "./create-count-queue.ts";

const FLUSH_MS = 2_000;
const MINUTE_MS = 60_000;
/** Characters of an ISO time up to the minute. */
const MINUTE_CHARACTERS = "2026-01-01T00:00".length;
/** Minutes of a busy node with hundreds of consumers, while the database is unavailable. */
const MAX_QUEUED = 50_000;

export interface TrafficWriter {
  countRequest: (event: RequestEvent) => void;
  countEvaluation: (event: EvaluationEvent) => void;
  /** Resolves when everything counted before is in the database, or it is unavailable. */
  written: () => Promise<void>;
  stop: () => Promise<void>;
}

export function writeTraffic(db: Db, log: Log): TrafficWriter {
  const queue = createCountQueue<TrafficCount>({
    kind: "traffic_count",
    log,
    write: (counts) => addTrafficCounts(db, counts),
    maxRows: MAX_QUEUED,
    flushMs: FLUSH_MS,
  });
  const add = (
    counter: TrafficCount["counter"],
    event: { time: string; gateway_id: string | null },
    labels: readonly (string | number)[],
    sums: number[],
  ) => {
    // Parsing the time and joining the labels would take half of the time of this function.
    let key = `${counter} ${event.gateway_id} ${event.time.slice(0, MINUTE_CHARACTERS)}`;
    for (const label of labels) key += ` ${label}`;
    const known = queue.find(key);
    if (known) {
      sums.forEach((sum, index) => {
        known.sums[index] = (known.sums[index] ?? 0) + sum;
      });
      return;
    }
    const time = Math.floor(Date.parse(event.time) / MINUTE_MS) * (MINUTE_MS / 1000);
    queue.add(key, { counter, gateway_id: event.gateway_id ?? "", time, labels, sums });
  };
  return {
    countRequest(event) {
      const { consumer_id, registry_id, status, error_code } = event;
      const labels = [consumer_id, registry_id ?? "", modelOf(event), status, error_code ?? ""];
      add("requests", event, labels, [1, event.input_tokens ?? 0, event.output_tokens ?? 0]);
      if (registry_id === null) return;
      add("latencies", event, [registry_id, findLogBucket(event.total_ms)], [1]);
    },
    countEvaluation(event) {
      add("evaluations", event, [event.collector_id, event.direction, event.status], [1]);
      for (const { source, signal } of event.findings) {
        const name = source.detector_id ?? source.gate_name ?? "";
        add("findings", event, [name, signal.type], [1]);
      }
    },
    written: queue.written,
    stop: queue.stop,
  };
}

/** Returns an empty name for a rejected request: a client could otherwise fill the table with names. */
const modelOf = ({ model_sent, status }: RequestEvent): string =>
  status < 400 || status >= 500 ? (model_sent ?? "") : "";
