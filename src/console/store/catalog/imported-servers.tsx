/** What an import brought: each server with the button that shows it to people, and what was left out. */
import { useState } from "react";
import type { CatalogEntry, ImportReport } from "../../../contract/store-catalog.ts";
import { call } from "../../api.ts";
import { storeCatalog } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";
import { Link } from "../../router.tsx";
import { useSession } from "../../session.ts";
import { Failure, Ready } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useAction, useLoad } from "../../use-load.ts";
import { newInstancePath } from "../instances/list-instances.ts";
import { SERVER_COLUMN, STATUS_COLUMN } from "./server-columns.tsx";
import { ShowServerDialog } from "./show-server-dialog.tsx";

type Row = CatalogEntry & { id: string };
type Skipped = ImportReport["skipped"][number] & { id: string };

interface ImportedServersProps {
  gateway_id: string;
  report: ImportReport;
}

export function ImportedServers({ gateway_id, report }: ImportedServersProps) {
  const { announce } = useSession();
  const [asking, setAsking] = useState<Row>();
  const params = { gateway_id };
  const loaded = useLoad(report.imported.join(" "), async (read) => {
    const all = await readAllPages((page) =>
      read(storeCatalog.list, { params, query: { ...page, source: "imported" } }),
    );
    const wanted = new Set(report.imported);
    return all.filter(({ code }) => wanted.has(code)).map((row) => ({ ...row, id: row.code }));
  });
  const show = useAction(async (row: Row) => {
    if (row.auth.type === "unknown") return setAsking(row);
    const { code, name } = row;
    await call(storeCatalog.update, { params: { ...params, code }, body: { status: "shown" } });
    announce(`${name} is shown now.`);
  });
  const skipped = report.skipped.map((one, index) => ({ ...one, id: String(index) }));
  return (
    <>
      <p role="status">
        {report.imported.length} imported, {skipped.length} left out.
      </p>
      <Failure title="This was not changed." error={show.error} />
      <Ready of={loaded} what="What came in">
        {(rows) => (
          <Table
            caption="Imported servers"
            columns={columns(gateway_id, (row) => void show.run(row))}
            rows={rows}
            empty={<p>No server came in. {skipped.length === 0 && "Try another search."}</p>}
          />
        )}
      </Ready>
      {asking && (
        <ShowServerDialog
          gateway_id={gateway_id}
          entry={asking}
          onClose={() => setAsking(undefined)}
        />
      )}
      {skipped.length > 0 && (
        <div className="below">
          <h3>Left out</h3>
          <Table caption="Servers that were left out" columns={LEFT_OUT} rows={skipped} empty="" />
        </div>
      )}
    </>
  );
}

const columns = (gateway_id: string, show: (row: Row) => void): Column<Row>[] => [
  SERVER_COLUMN,
  { head: "What it says", cell: ({ description }) => description },
  { head: "Address", cell: ({ url }) => <code>{url}</code> },
  STATUS_COLUMN,
  {
    head: "Actions",
    cell: (row) => (
      <div className="row tight">
        {row.status === "hidden" && (
          <button type="button" className="button small" onClick={() => show(row)}>
            Show<span className="visually-hidden"> {row.name}</span>
          </button>
        )}
        {row.needs_admin_setup && (
          <Link to={newInstancePath(gateway_id, row.code)} className="button small">
            New instance<span className="visually-hidden"> of {row.name}</span>
          </Link>
        )}
      </div>
    ),
  },
];

const LEFT_OUT: Column<Skipped>[] = [
  {
    head: "Server",
    rowHeader: true,
    cell: ({ name }) =>
      name ? <code>{name}</code> : <span className="muted">without a name</span>,
  },
  { head: "Why", cell: ({ reason }) => reason },
];
