/** Operations on the audit log: list, export, and list its actors. */
import {
  type AuditFilters,
  type AuditRow,
  ExportedAuditRecord,
  exportAudit,
  listAudit,
  listAuditActors,
} from "../contract/audit.ts";
import { describeAudit, formatAuditSentence } from "../contract/describe-audit.ts";
import { AppError } from "../contract/errors.ts";
import type { PageQuery } from "../contract/shapes.ts";
import type { Db } from "../db/db.ts";
import type { Page, ScanLimit, Table } from "../db/table.ts";
import { accessRuleTable } from "../db/tables/access-rules.ts";
import { adminTokenTable } from "../db/tables/admin-tokens.ts";
import { auditTable, listActors } from "../db/tables/audit-log.ts";
import { collectorTable } from "../db/tables/collectors.ts";
import { consumerTable } from "../db/tables/consumers.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { gatewayTable } from "../db/tables/gateways.ts";
import { issuerTable } from "../db/tables/issuers.ts";
import { policyTable } from "../db/tables/policies.ts";
import { registryTable } from "../db/tables/registries.ts";
import { storeInstallTable } from "../db/tables/store-installs.ts";
import { storeRequestTable } from "../db/tables/store-requests.ts";
import { type Actor, type DirectRoute, type Route, route } from "../route.ts";
import { exportResponse } from "./export-response.ts";

export const auditRoutes: Route[] = [
  route(listAudit, async (deps, { query, actor }) => {
    checkGateway(actor, query.gateway_id);
    const { limit, cursor, ...filters } = query;
    const { items, next_cursor } = await pageAudit(deps.db, filters, {
      limit,
      cursor,
      sort: "-at",
    });
    const existing = await findExisting(deps.db, items);
    return {
      items: items.map((row) => ({
        ...toRecord(row),
        exists: Object.hasOwn(TABLES, row.resource) ? existing.has(row.resource_id) : null,
      })),
      next_cursor,
    };
  }),
  route(listAuditActors, async (deps, { query, actor }) => {
    checkGateway(actor, query.gateway_id);
    return { items: await listActors(deps.db, { ...query, limit: MAX_ACTORS }) };
  }),
];

const MAX_ACTORS = 100;

export const auditExportRoute: DirectRoute = {
  endpoint: exportAudit,
  async respond(deps, { query, headers, actor }) {
    // Decoded by the endpoint's own schema before this is called.
    const { format, ...filters } = query as ReturnType<typeof exportAudit.query.parse>;
    checkGateway(actor, filters.gateway_id);
    return exportResponse(deps, readRecords(deps.db, filters), {
      name: "audit",
      format,
      columns: COLUMNS,
      headers,
      actor,
    });
  },
};

const COLUMNS = Object.keys(ExportedAuditRecord.shape) as (keyof ExportedAuditRecord)[];

async function* readRecords(db: Db, filters: AuditFilters): AsyncGenerator<ExportedAuditRecord> {
  let cursor: string | undefined;
  do {
    const page = await pageAudit(db, filters, { limit: EXPORT_PAGE_SIZE, cursor, sort: "at" });
    yield* page.items.map(toRecord);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

const EXPORT_PAGE_SIZE = 200;
const SCAN_LIMIT: ScanLimit = { rows: 20_000, indexed: ["actor"] };

async function pageAudit(
  db: Db,
  { q, from, to, ...filters }: AuditFilters,
  page: Omit<PageQuery, "q">,
): Promise<Page<AuditRow>> {
  const where = Object.fromEntries(Object.entries(filters).filter(([, value]) => value));
  const toUtc = (time: string | undefined) => time && new Date(time).toISOString();
  return await auditTable.page(
    db,
    where,
    { ...page, q },
    {
      range: { column: "at", from: toUtc(from), to: toUtc(to) },
      ...(q || Object.keys(where).length > 0 ? { scanLimit: SCAN_LIMIT } : {}),
    },
  );
}

/** A token that is limited to gateways sees only their records. */
function checkGateway({ gateway_ids }: Actor, gateway_id = ""): void {
  if (!gateway_ids || gateway_ids.includes(gateway_id)) return;
  throw new AppError(
    "forbidden",
    `gateway_id: is required, because this token is limited to ${gateway_ids.join(", ")}.`,
  );
}

const toRecord = (row: AuditRow): ExportedAuditRecord => {
  const sentence = describeAudit(row);
  return { ...row, name: sentence.name, summary: formatAuditSentence(sentence) };
};

/** Tables of resources that can still exist, by resource. */
const TABLES: Record<string, Pick<Table<{ id: string }>, "page">> = {
  gateway: gatewayTable,
  registry: registryTable,
  consumer: consumerTable,
  policy: policyTable,
  detector: detectorTable,
  collector: collectorTable,
  access_rule: accessRuleTable,
  issuer: issuerTable,
  store_request: storeRequestTable,
  store_install: storeInstallTable,
  token: adminTokenTable,
};

/** Returns the ids of resources that still exist. */
async function findExisting(db: Db, rows: readonly AuditRow[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const [resource, changes] of Map.groupBy(rows, (row) => row.resource)) {
    const ids = [...new Set(changes.map((row) => row.resource_id))];
    const query = { limit: ids.length, cursor: undefined, q: undefined, sort: undefined };
    const page = await TABLES[resource]?.page(db, {}, query, { ids });
    for (const { id } of page?.items ?? []) found.add(id);
  }
  return found;
}
