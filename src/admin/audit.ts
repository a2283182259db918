/** Lists the audit log. A token that is limited to gateways sees only their records. */
import { listAudit } from "../contract/audit.ts";
import { AppError } from "../contract/errors.ts";
import { auditTable } from "../db/tables/audit-log.ts";
import { type Route, route } from "../route.ts";

export const auditRoutes: Route[] = [
  route(listAudit, async (deps, { query, actor }) => {
    const { limit, cursor, q, ...filters } = query;
    if (actor.gateway_ids && !actor.gateway_ids.includes(filters.gateway_id ?? "")) {
      throw new AppError(
        "forbidden",
        `gateway_id: is required, because this token is limited to ${actor.gateway_ids.join(", ")}.`,
      );
    }
    const where = Object.fromEntries(Object.entries(filters).filter(([, value]) => value));
    return await auditTable.page(deps.db, where, { limit, cursor, q, sort: undefined });
  }),
];
