/** The servers of a gateway's Store: what is shown to people, where it comes from, what it needs. */
import { useState } from "react";
import type { CatalogEntry } from "../../../contract/store-catalog.ts";
import { call } from "../../api.ts";
import { storeCatalog } from "../../endpoints.ts";
import { changeQuery, Link, useLocation } from "../../router.tsx";
import { useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { SelectField } from "../../ui/field.tsx";
import { List } from "../../ui/list.tsx";
import { Failure } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { type Action, useAction } from "../../use-load.ts";
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
  const [asking, setAsking] = useState<Row>();
  const turn = useAction(async (row: Row) => {
    const { code, name, status: before } = row;
    if (before === "hidden" && row.auth.type === "unknown") return setAsking(row);
    const after = before === "shown" ? "hidden" : "shown";
    await call(storeCatalog.update, { params: { ...params, code }, body: { status: after } });
    announce(`${name} is ${after} now.`);
  });
  return (
    <>
      <Failure title="This was not changed." error={turn.error} />
      {asking && (
        <ShowServerDialog
          gateway_id={gateway_id}
          entry={asking}
          onClose={() => setAsking(undefined)}
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
          // Anybody can write an address: the server says which values it does not know.
          const narrowed = { status: status || undefined, source: source || undefined } as Narrowed;
          const [page, instances] = await Promise.all([
            read(storeCatalog.list, { params, query: { q, cursor, ...narrowed } }),
            listInstances(read, gateway_id),
          ]);
          const items = page.items.map((entry) => ({
            ...entry,
            id: entry.code,
            instances: instances.filter(({ code }) => code === entry.code),
          }));
          return { items, next_cursor: page.next_cursor };
        }}
        columns={may("write") ? [...COLUMNS, acts(gateway_id, turn)] : COLUMNS}
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

interface Narrowed {
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
      <Badge tone="warn" icon="warning" text="make one first" />
    ) : (
      <span className="muted">with the first install</span>
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

const acts = (gateway_id: string, turn: Action<[Row]>): Column<Row> => ({
  head: "Actions",
  cell: (row) => (
    <div className="row tight">
      <button
        type="button"
        className="button small"
        disabled={turn.busy}
        onClick={() => void turn.run(row)}
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
