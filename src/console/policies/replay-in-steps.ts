/** Judges recorded events again, a few at a time, so that a long replay tells how far it is and can stop. */
import type { z } from "zod";
import type { ReplayReport, ReplayRequest } from "../../contract/replay.ts";
import { call } from "../api.ts";
import { activity, policies } from "../endpoints.ts";

export interface ReplayOptions {
  policy_id: string;
  draft: z.input<typeof ReplayRequest>["draft"];
  from: string;
  to: string;
  collector_id: string | undefined;
  /** It ends with the step that reaches this many events. */
  most: number;
}

export interface ReplayProgress {
  /** How many events were looked at, of how many. */
  done: number;
  total: number;
  report: ReplayReport;
}

const STEP = 100;
/** The most that the server judges at once: more than a step, as events can share their time. */
const LIMIT = 1000;

export async function replayInSteps(
  { policy_id, draft, from, to, collector_id, most }: ReplayOptions,
  tell: (progress: ReplayProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const range = { from, to, collector_id };
  const counted = await call(activity.counts, { params: {}, query: range });
  const total = Math.min(counted.total, most);
  let progress: ReplayProgress = { done: 0, total, report: NOTHING };
  let before = to;
  let cursor: string | undefined;
  do {
    if (signal.aborted) return;
    tell(progress);
    const page = await call(activity.list, {
      params: {},
      query: { ...range, cursor, limit: Math.min(STEP, most - progress.done) },
    });
    // Times that meet: no event falls between two steps, and none is in both.
    const since = page.next_cursor ? (page.items.at(-1)?.time ?? from) : from;
    const report = await call(policies.replay, {
      params: { policy_id },
      body: { draft, from: since, to: before, collector_id, limit: LIMIT },
    });
    const done = Math.min(total, progress.done + page.items.length);
    progress = { done, total, report: mergeReports(progress.report, report) };
    before = since;
    cursor = page.next_cursor ?? undefined;
  } while (cursor && progress.done < most);
  if (!signal.aborted) tell({ ...progress, done: total });
}

const NOTHING: ReplayReport = { evaluated: 0, skipped: 0, changes: [], transitions: {} };

function mergeReports(one: ReplayReport, other: ReplayReport): ReplayReport {
  const transitions = { ...one.transitions };
  for (const [name, count] of Object.entries(other.transitions)) {
    transitions[name] = (transitions[name] ?? 0) + count;
  }
  return {
    evaluated: one.evaluated + other.evaluated,
    skipped: one.skipped + other.skipped,
    changes: [...one.changes, ...other.changes],
    transitions,
  };
}
