/** Lists what a person has to decide: approvals of evaluations and Store requests. */
import { listInbox } from "../contract/inbox.ts";
import { findInbox } from "../db/tables/find-inbox.ts";
import { isSubject, type Route, route } from "../route.ts";

export const inboxRoutes: Route[] = [
  route(listInbox, async (deps, { query, actor }) => {
    const gateway_ids = actor.gateway_ids ?? undefined;
    const { items, next_cursor } = await findInbox(deps.db, { ...query, gateway_ids }, deps.now());
    const toItem = (row: (typeof items)[number]) => ({
      ...row,
      own: isSubject(actor, row.requester),
    });
    return { items: items.map(toItem), next_cursor };
  }),
];
