/** The audit log, newest first; a token that is limited to some gateways sees only theirs. */
import { listAudit } from "../contract/audit.ts";
import { AppError } from "../contract/errors.ts";
import { auditTable } from "../db/audit-log.ts";
import { type Route, route } from "../route.ts";

export const auditRoutes: Route[] = [
  route(listAudit, async (deps, { query, actor }) => {
    const { limit, cursor, q, ...filters } = query;
    if (actor.gateway_ids && !actor.gateway_ids.includes(filters.gateway_id ?? "")) {
      throw new AppError(
        "forbidden",
        `This token is limited to some gateways: add ?gateway_id= with one of ${actor.gateway_ids.join(", ")}.`,
      );
    }
    const where = Object.fromEntries(Object.entries(filters).filter(([, value]) => value));
    return await auditTable.page(deps.db, where, { limit, cursor, q, sort: undefined });
  }),
];
