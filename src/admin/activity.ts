/** Operations on Activity: lists, counts, exports and erases evaluations. */

import { AppError } from "../contract/errors.ts";
import {
  ActivityEvent,
  countActivity,
  eraseActivity,
  exportActivity,
  getActivity,
  listActivity,
} from "../contract/guard/activity.ts";
import { PERMISSIONS } from "../contract/roles.ts";
import { invalidCursor } from "../contract/shapes.ts";
import { recordChange } from "../db/record-change.ts";
import { eraseApprovals } from "../db/tables/approvals.ts";
import { countEvaluations } from "../db/tables/count-evaluations.ts";
import { deleteEvaluations, findEvaluation } from "../db/tables/evaluation-events.ts";
import { type EvaluationQuery, pageEvaluations } from "../db/tables/find-evaluations.ts";
import type { Deps } from "../deps.ts";
import { type DirectRoute, type Route, route } from "../route.ts";
import { exportResponse } from "./export-response.ts";

const DAY_MS = 86_400_000;

export const activityRoutes: Route[] = [
  route(listActivity, async (deps, { actor, query: { limit, cursor, ...filters } }) => {
    // Search results reveal stored text, character by character.
    if (filters.q && !PERMISSIONS[actor.role].includes("audit")) {
      throw new AppError("forbidden", "q: requires the permission audit.");
    }
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const page = await pageEvaluations(deps.db, { filters, limit, after, order: "newest" });
    const next_cursor = page.next === null ? null : Buffer.from(page.next).toString("base64url");
    return { items: page.items, next_cursor };
  }),
  route(countActivity, async (deps, { query }) => {
    const from = query.from ?? new Date(deps.now().getTime() - DAY_MS).toISOString();
    const by_status = await countEvaluations(deps.db, { ...query, from });
    const total = Object.values(by_status).reduce((sum, count) => sum + count, 0);
    return { from, total, by_status };
  }),
  route(getActivity, async (deps, { params: { event_id } }) => {
    const found = await findEvaluation(deps.db, event_id);
    if (!found) throw new AppError("not_found", `Unknown event ${event_id}.`);
    return { ...found.event, content: found.content };
  }),
  route(eraseActivity, async (deps, call) => {
    // Queued events would be written after the deletion.
    if (deps.hasHeldEvaluations()) throw new AppError("unavailable", HELD);
    if (deps.db.dialect === "postgres") await Bun.sleep(OTHER_NODES_WRITE_WITHIN_MS);
    const { consumer_id } = call.body;
    return await deps.db.transaction(async (db) => {
      const erased = await deleteEvaluations(db, { consumer_id });
      await eraseApprovals(db, consumer_id);
      // Records the erasure without the erased consumer_id.
      const change = { resource: "activity", verb: "delete", id: deps.newId() } as const;
      await recordChange({ ...deps, db }, call, {
        ...change,
        gateway_id: null,
        before: { erased },
        after: null,
      });
      return { erased };
    });
  }),
];

/** Twice the maximum time for which other nodes queue an event while the database is available. */
const OTHER_NODES_WRITE_WITHIN_MS = 500;

const HELD =
  "Recorded evaluations are still queued for the database, so nothing was erased. Try again later; evaluations_held in the log has the reason.";

function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("utf8");
  if (/^[\da-f-]{36}$/.test(id)) return id;
  throw invalidCursor();
}

export const activityExportRoute: DirectRoute = {
  endpoint: exportActivity,
  async respond(deps, { query, headers, actor }) {
    // Decoded by the endpoint's own schema before this is called.
    const { format, ...filters } = query as ReturnType<typeof exportActivity.query.parse>;
    return exportResponse(deps, readEvents(deps, filters), {
      name: "activity",
      format,
      columns: COLUMNS,
      headers,
      actor,
    });
  },
};

const EXPORT_PAGE_SIZE = 200;

/** Reads one page at a time, so that a slow client does not block anything. */
export async function* readEvents(
  deps: Deps,
  filters: EvaluationQuery["filters"],
  order: EvaluationQuery["order"] = "oldest",
): AsyncGenerator<ActivityEvent> {
  await deps.flushEvaluations();
  let after: string | undefined;
  do {
    const page = { filters, limit: EXPORT_PAGE_SIZE, after, order };
    const { items, next } = await pageEvaluations(deps.db, page);
    yield* items;
    after = next ?? undefined;
  } while (after !== undefined);
}

const COLUMNS = Object.keys(ActivityEvent.shape) as (keyof ActivityEvent)[];
