/** Lists the data-plane requests of a gateway, newest first. */

import { listRequests } from "../contract/gateway/requests.ts";
import { pageRequestEvents } from "../db/tables/request-events.ts";
import { firstIdAt } from "../lib/ids.ts";
import { type Route, route } from "../route.ts";
import { requireGateway } from "./resource-routes.ts";

export const requestRoutes: Route[] = [
  route(listRequests, async (deps, { params, query }) => {
    await requireGateway(deps, params);
    const { limit, cursor, from, to, status_class, ...filters } = query;
    const given = Object.entries(filters).filter(([, value]) => value !== undefined);
    const where = { gateway_id: params.gateway_id, ...Object.fromEntries(given) };
    const page = { limit, cursor, q: undefined, sort: undefined };
    const range = { column: "id", from: from && firstIdAt(from), to: to && firstIdAt(to) } as const;
    return await pageRequestEvents(deps.db, where, page, { range, status_class });
  }),
];
