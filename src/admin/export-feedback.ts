/** Exports marked findings with their stored text, to retrain a detector. */
import type { ActivityEvent, Mark, StoredText } from "../contract/guard/activity.ts";
import { exportFeedback, type LabeledText } from "../contract/guard/feedback.ts";
import { PERMISSIONS } from "../contract/roles.ts";
import { findEvaluation } from "../db/tables/evaluation-events.ts";
import type { Deps } from "../deps.ts";
import type { DirectRoute } from "../route.ts";
import { readEvents } from "./activity.ts";
import { exportResponse } from "./export-response.ts";

export const feedbackExportRoute: DirectRoute = {
  endpoint: exportFeedback,
  async respond(deps, { query, headers, actor }) {
    // Decoded by the endpoint's own schema before this is called.
    const filters = query as ReturnType<typeof exportFeedback.query.parse>;
    const events = readEvents(deps, { feedback: "any", ...filters });
    const readsText = PERMISSIONS[actor.role].includes("audit");
    const texts = labelTexts(deps, events, readsText);
    const file = { name: "feedback", format: "jsonl", columns: [], headers, actor } as const;
    return exportResponse(deps, texts, file);
  },
};

async function* labelTexts(
  { db }: Deps,
  events: AsyncGenerator<ActivityEvent>,
  readsText: boolean,
): AsyncGenerator<LabeledText> {
  for await (const event of events) {
    const content = readsText ? ((await findEvaluation(db, event.id))?.content ?? null) : null;
    for (const mark of event.feedback) yield toLabeledText(event, mark, content);
  }
}

function toLabeledText(
  event: ActivityEvent,
  { finding: index, mark, actor, at }: Mark,
  content: readonly StoredText[] | null,
): LabeledText {
  const finding = index === null ? undefined : event.findings[index];
  const wasReported = finding !== undefined || event.findings.length > 0;
  // Written by createFinding.
  const places = (finding?.evidence.places ?? []) as Record<string, unknown>[];
  return {
    event_id: event.id,
    time: event.time,
    collector_id: event.collector_id,
    direction: event.direction,
    label: wasReported === (mark === "correct") ? "positive" : "negative",
    mark,
    actor,
    marked_at: at,
    detector_id: finding?.source.detector_id ?? null,
    detector_kind: finding?.source.plugin ?? null,
    type: finding?.signal.type ?? null,
    score: finding?.signal.confidence ?? null,
    places,
    content_storage: event.content_storage,
    texts: content && selectTexts(content, places),
  };
}

/** Returns the texts that contain a match; all of them if no match has a location. */
function selectTexts(
  content: readonly StoredText[],
  places: readonly Record<string, unknown>[],
): StoredText[] {
  const matched = content.filter(({ pointer, inner }) =>
    places.some((place) => place.pointer === pointer && (place.inner_pointer ?? null) === inner),
  );
  return matched.length > 0 ? matched : [...content];
}
