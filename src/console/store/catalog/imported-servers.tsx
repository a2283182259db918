/** Result of an import: imported servers with a Show button, and skipped entries. */
import { useState } from "react";
import type { CatalogEntry, ImportReport } from "../../../contract/store/catalog.ts";
import { call } from "../../api.ts";
import { storeCatalog } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";
import { Link } from "../../router.tsx";
import { useSession } from "../../session.ts";
import { Failure, Ready } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useAction } from "../../use-action.ts";
import { useLoad } from "../../use-load.ts";
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
  const [dialogRow, setDialogRow] = useState<Row>();
  const params = { gateway_id };
  const loaded = useLoad(report.imported.join(" "), async (read) => {
    const all = await readAllPages((page) =>
      read(storeCatalog.list, { params, query: { ...page, source: "imported" } }),
    );
    const imported = new Set(report.imported);
    return all.filter(({ code }) => imported.has(code)).map((row) => ({ ...row, id: row.code }));
  });
  const show = useAction(async (row: Row) => {
    if (row.auth.type === "unknown") return setDialogRow(row);
    const { code, name } = row;
    await call(storeCatalog.update, { params: { ...params, code }, body: { status: "shown" } });
    announce(`${name} is now shown.`);
  });
  const skipped = report.skipped.map((entry, index) => ({ ...entry, id: String(index) }));
  return (
    <>
      <p role="status">
        {report.imported.length} imported, {skipped.length} skipped.
      </p>
      <Failure title="The change failed." error={show.error} />
      <Ready of={loaded} what="The imported servers">
        {(rows) => (
          <Table
            caption="Imported servers"
            columns={columns(gateway_id, (row) => void show.run(row))}
            rows={rows}
            empty={<p>No servers were imported. {skipped.length === 0 && "Try another search."}</p>}
          />
        )}
      </Ready>
      {dialogRow && (
        <ShowServerDialog
          gateway_id={gateway_id}
          entry={dialogRow}
          onClose={() => setDialogRow(undefined)}
        />
      )}
      {skipped.length > 0 && (
        <div className="below">
          <h3>Skipped</h3>
          <Table caption="Skipped servers" columns={SKIPPED_COLUMNS} rows={skipped} empty="" />
        </div>
      )}
    </>
  );
}

const columns = (gateway_id: string, show: (row: Row) => void): Column<Row>[] => [
  SERVER_COLUMN,
  { head: "Description", cell: ({ description }) => description },
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

const SKIPPED_COLUMNS: Column<Skipped>[] = [
  {
    head: "Server",
    rowHeader: true,
    cell: ({ name }) => (name ? <code>{name}</code> : <span className="muted">no name</span>),
  },
  { head: "Reason", cell: ({ reason }) => reason },
];
