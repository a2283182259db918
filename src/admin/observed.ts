/** Counts the findings of a collector whose action was not taken, by action, type and place. */
import { AppError } from "../contract/errors.ts";
import type { Action } from "../contract/guard/actions.ts";
import type { ActivityEvent } from "../contract/guard/activity.ts";
import { getObserved, type ObservedFindings } from "../contract/guard/collectors.ts";
import { countEvaluations } from "../db/tables/count-evaluations.ts";
import { type Route, route } from "../route.ts";
import { readEvents } from "./activity.ts";

const WEEK_MS = 7 * 86_400_000;
const MAX_EVENTS = 20_000;
const MAX_GROUPS = 200;

export const observedRoute: Route = route(getObserved, async (deps, { params, query }) => {
  const { collector_id } = params;
  if (!deps.snapshot().collectors.has(collector_id)) {
    throw new AppError("not_found", `Unknown collector ${collector_id}.`);
  }
  const to = query.to ?? deps.now().toISOString();
  const from = query.from ?? new Date(Date.parse(to) - WEEK_MS).toISOString();
  const range = { collector_id, from, to: query.to };
  const counts = await countEvaluations(deps.db, range);
  const groups = new Map<string, ObservedFindings>();
  let read = 0;
  for await (const event of readEvents(deps, { ...range, would_be: true }, "newest")) {
    read += 1;
    if (read > MAX_EVENTS) break;
    countFindings(groups, event);
  }
  return {
    from,
    to,
    evaluations: Object.values(counts).reduce((sum, count) => sum + count, 0),
    items: [...groups.values()].sort((one, other) => other.count - one.count).slice(0, MAX_GROUPS),
    truncated: read > MAX_EVENTS || groups.size > MAX_GROUPS,
  };
});

/** The first event of a group is the newest. */
function countFindings(groups: Map<string, ObservedFindings>, event: ActivityEvent): void {
  const newest = { count: 0, last_event_id: event.id, last_time: event.time };
  for (const { source, signal, evidence } of event.findings) {
    // Written by create-finding.ts.
    const { would_be: action, places } = evidence as Evidence;
    if (!action) continue;
    const place = places?.[0]?.pointer?.replace(/\/\d+(?=\/|$)/g, "/*") ?? null;
    const detector_name = source.detector_name ?? source.gate_name ?? "";
    const group = { action, type: signal.type, place, detector_name };
    const key = JSON.stringify(group);
    const counted = groups.get(key) ?? { ...group, ...newest };
    counted.count += 1;
    groups.set(key, counted);
  }
}

type Evidence = { would_be?: Action; places?: { pointer?: string }[] };
