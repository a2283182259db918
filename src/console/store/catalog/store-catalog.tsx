/** Catalog of the Store: visibility, source and instances of each server. */
import { useState } from "react";
import type { CatalogEntry } from "../../../contract/store/catalog.ts";
import { call } from "../../api.ts";
import { storeCatalog } from "../../endpoints.ts";
import { changeQuery, Link, useLocation } from "../../router.tsx";
import { useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { SelectField } from "../../ui/fields/field.tsx";
import { List } from "../../ui/list.tsx";
import { Failure } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { type ActionState, useAction } from "../../use-action.ts";
import { listInstances, type McpInstance, newInstancePath } from "../instances/list-instances.ts";
import { SERVER_COLUMN, STATUS_COLUMN } from "./server-columns.tsx";
import { ShowServerDialog } from "./show-server-dialog.tsx";

const STATUSES = [
  ["", "Any"],
  ["shown", "Shown"],
  ["hidden", "Hidden"],
] as const;
const SOURCES = [
  ["", "Any"],
  ["shipped", "Shipped"],
  ["imported", "Imported"],
  ["custom", "Custom"],
] as const;

interface Row extends CatalogEntry {
  id: string;
  instances: readonly McpInstance[];
}

export function StoreCatalog({ gateway_id }: { gateway_id: string }) {
  const { may, announce } = useSession();
  const { search } = useLocation();
  const params = { gateway_id };
  const [status, source] = [search.get("status") ?? "", search.get("source") ?? ""];
  const [dialogRow, setDialogRow] = useState<Row>();
  const toggle = useAction(async (row: Row) => {
    const { code, name, status: before } = row;
    if (before === "hidden" && row.auth.type === "unknown") return setDialogRow(row);
    const after = before === "shown" ? "hidden" : "shown";
    await call(storeCatalog.update, { params: { ...params, code }, body: { status: after } });
    announce(`${name} is now ${after}.`);
  });
  return (
    <>
      <Failure title="The change failed." error={toggle.error} />
      {dialogRow && (
        <ShowServerDialog
          gateway_id={gateway_id}
          entry={dialogRow}
          onClose={() => setDialogRow(undefined)}
        />
      )}
      <List
        caption="Servers of the Store"
        what="The catalog"
        search="Search name, code or vendor"
        filters={
          <>
            <SelectField
              label="Status"
              value={status}
              options={STATUSES}
              onChange={(value) => changeQuery({ status: value, cursor: undefined })}
            />
            <SelectField
              label="Source"
              value={source}
              options={SOURCES}
              onChange={(value) => changeQuery({ source: value, cursor: undefined })}
            />
          </>
        }
        load={async ({ q, cursor }, read) => {
          // The server rejects unknown values.
          const filters = {
            status: status || undefined,
            source: source || undefined,
          } as CatalogFilters;
          const [page, instances] = await Promise.all([
            read(storeCatalog.list, { params, query: { q, cursor, ...filters } }),
            listInstances(read, gateway_id),
          ]);
          const items = page.items.map((entry) => ({
            ...entry,
            id: entry.code,
            instances: instances.filter(({ code }) => code === entry.code),
          }));
          return { items, next_cursor: page.next_cursor };
        }}
        columns={may("write") ? [...COLUMNS, actionsColumn(gateway_id, toggle)] : COLUMNS}
        empty={
          <p>
            The catalog is empty.{" "}
            <Link to={`/gateways/${gateway_id}/store?tab=import`}>Import</Link> servers.
          </p>
        }
      />
    </>
  );
}

interface CatalogFilters {
  status: CatalogEntry["status"] | undefined;
  source: CatalogEntry["source"] | undefined;
}

const COLUMNS: Column<Row>[] = [
  SERVER_COLUMN,
  { head: "Category", cell: ({ category }) => category },
  STATUS_COLUMN,
  { head: "Source", cell: ({ source }) => source },
  { head: "Instances", cell: (row) => <Instances row={row} /> },
];

function Instances({ row: { instances, needs_admin_setup } }: { row: Row }) {
  if (instances.length === 0) {
    return needs_admin_setup ? (
      <Badge tone="warn" icon="warning" text="create one first" />
    ) : (
      <span className="muted">created by the first install</span>
    );
  }
  return (
    <ul>
      {instances.map(({ id, gateway_id, name }) => (
        <li key={id}>
          <Link to={`/gateways/${gateway_id}/store/instances/${id}`}>{name}</Link>
        </li>
      ))}
    </ul>
  );
}

const actionsColumn = (gateway_id: string, toggle: ActionState<[Row]>): Column<Row> => ({
  head: "Actions",
  cell: (row) => (
    <div className="row tight">
      <button
        type="button"
        className="button small"
        disabled={toggle.busy}
        onClick={() => void toggle.run(row)}
      >
        {row.status === "shown" ? "Hide" : "Show"}
        <span className="visually-hidden"> {row.name}</span>
      </button>
      <Link to={newInstancePath(gateway_id, row.code)} className="button small">
        New instance<span className="visually-hidden"> of {row.name}</span>
      </Link>
    </div>
  ),
});
