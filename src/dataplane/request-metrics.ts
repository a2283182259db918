/** Counters and histograms of data-plane requests since the process started. */
import { type Counts, type Histogram, newCounts, newHistogram, observe } from "../lib/metrics.ts";
import { plugins } from "../plugins/all.ts";
import type { AuthenticatedRequest } from "./stages.ts";

export interface RequestMetrics {
  /** Requests of identified consumers whose responses have not ended. */
  in_flight: number;
  /** By plugin name. */
  rejections: Counts;
  /** By endpoint name: seconds until the first byte of the response, and until the last. */
  first_byte: Map<string, Histogram>;
  duration: Map<string, Histogram>;
}

export const createRequestMetrics = (): RequestMetrics => ({
  in_flight: 0,
  rejections: newCounts([...plugins.keys()]),
  first_byte: new Map(),
  duration: new Map(),
});

/** A list of models takes a millisecond, a reasoning model takes minutes. */
const BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export function observeDurations(
  metrics: RequestMetrics,
  { endpoint, progress }: AuthenticatedRequest,
  total_ms: number,
): void {
  if (progress.ttfb_ms !== null)
    observeByEndpoint(metrics.first_byte, endpoint.name, progress.ttfb_ms / 1000);
  observeByEndpoint(metrics.duration, endpoint.name, total_ms / 1000);
}

function observeByEndpoint(histograms: Map<string, Histogram>, name: string, value: number): void {
  let histogram = histograms.get(name);
  if (!histogram) {
    histogram = newHistogram(BUCKETS_S);
    histograms.set(name, histogram);
  }
  observe(histogram, value);
}
