/** Replays recorded events in small steps, so that a long replay shows its progress and can be stopped. */
import type { z } from "zod";
import type { ReplayReport, ReplayRequest } from "../../contract/guard/replay.ts";
import { call } from "../api.ts";
import { activity, policies } from "../endpoints.ts";

export interface ReplayOptions {
  policy_id: string;
  draft: z.input<typeof ReplayRequest>["draft"];
  from: string;
  to: string;
  collector_id: string | undefined;
  /** The replay ends with the step that reaches this number. */
  maxEvents: number;
}

export interface ReplayProgress {
  /** Number of processed events. */
  done: number;
  total: number;
  report: ReplayReport;
}

const STEP_SIZE = 100;
/** Maximum of the server. Larger than a step: several events can have the same time. */
const MAX_REPLAYED = 1000;

export async function replayInSteps(
  { policy_id, draft, from, to, collector_id, maxEvents }: ReplayOptions,
  onProgress: (progress: ReplayProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const range = { from, to, collector_id };
  const counts = await call(activity.counts, { params: {}, query: range });
  const total = Math.min(counts.total, maxEvents);
  let progress: ReplayProgress = { done: 0, total, report: EMPTY_REPORT };
  let before = to;
  let cursor: string | undefined;
  do {
    if (signal.aborted) return;
    onProgress(progress);
    const page = await call(activity.list, {
      params: {},
      query: { ...range, cursor, limit: Math.min(STEP_SIZE, maxEvents - progress.done) },
    });
    // Each step ends where the next starts, so that every event is replayed exactly once.
    const since = page.next_cursor ? (page.items.at(-1)?.time ?? from) : from;
    const report = await call(policies.replay, {
      params: { policy_id },
      body: { draft, from: since, to: before, collector_id, limit: MAX_REPLAYED },
    });
    const done = Math.min(total, progress.done + page.items.length);
    progress = { done, total, report: mergeReports(progress.report, report) };
    before = since;
    cursor = page.next_cursor ?? undefined;
  } while (cursor && progress.done < maxEvents);
  if (!signal.aborted) onProgress({ ...progress, done: total });
}

const EMPTY_REPORT: ReplayReport = {
  evaluated: 0,
  skipped: 0,
  skips: [],
  changes: [],
  transitions: {},
};

function mergeReports(one: ReplayReport, other: ReplayReport): ReplayReport {
  const transitions = { ...one.transitions };
  for (const [name, count] of Object.entries(other.transitions)) {
    transitions[name] = (transitions[name] ?? 0) + count;
  }
  return {
    evaluated: one.evaluated + other.evaluated,
    skipped: one.skipped + other.skipped,
    skips: [...one.skips, ...other.skips],
    changes: [...one.changes, ...other.changes],
    transitions,
  };
}
