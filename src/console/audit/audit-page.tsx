/** Console → Audit log: changes and sign-ins as sentences, filtered by the address. */
import { useState } from "react";
import type { AuditRecord } from "../../contract/audit.ts";
import { endpointUrl } from "../api.ts";
import { auditLog } from "../endpoints.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page, RefreshButton } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { readRangeBounds } from "../ui/time-range.ts";
import { AuditFilters, DEFAULT_RANGE } from "./audit-filters.tsx";
import { AuditSentence } from "./audit-sentence.tsx";
import { AuditSheet } from "./audit-sheet.tsx";

const FILTERS = ["actor", "resource", "resource_id"];

export function AuditPage() {
  const { allGateways, gateway, gateways } = useSession();
  const { search } = useLocation();
  const [open, setOpen] = useState<AuditRecord>();
  // A token that is limited to some gateways must filter by one.
  const gateway_id = search.get("gateway_id") ?? (allGateways ? "" : (gateway?.id ?? ""));
  const filters = {
    ...Object.fromEntries(FILTERS.map((name) => [name, search.get(name) || undefined])),
    ...readRangeBounds(search, DEFAULT_RANGE),
    q: search.get("q") || undefined,
    gateway_id: gateway_id || undefined,
  };
  const exportUrl = (format: "jsonl" | "csv") =>
    endpointUrl(auditLog.export, { params: {}, query: { ...filters, format } });
  const columns: Column<AuditRecord>[] = [
    {
      head: "Time",
      cell: (record) => (
        <button type="button" className="link" onClick={() => setOpen(record)}>
          <Timestamp at={record.at} precise />
        </button>
      ),
    },
    { head: "Event", cell: (record) => <AuditSentence record={record} /> },
    {
      head: "Gateway",
      cell: ({ gateway_id: id }) =>
        gateways.find((gateway) => gateway.id === id)?.name ?? (
          <span className="muted">{id ? "deleted" : "none"}</span>
        ),
    },
  ];
  return (
    <Page
      title="Audit log"
      about="Every change and sign-in, newest first. Secrets are masked."
      actions={
        <>
          <a className="button" href={exportUrl("csv")} download>
            <Icon name="download" /> CSV
          </a>
          <a className="button" href={exportUrl("jsonl")} download>
            <Icon name="download" /> JSON Lines
          </a>
          <RefreshButton />
        </>
      }
    >
      <List
        caption="Changes and sign-ins, newest first"
        what="The audit log"
        search="Search name, actor or action"
        filters={<AuditFilters gateway_id={gateway_id} />}
        load={({ cursor }, read) =>
          read(auditLog.list, { params: {}, query: { ...filters, cursor } })
        }
        columns={columns}
        empty={<p>No changes yet.</p>}
      />
      {open && (
        <AuditSheet
          record={open}
          onClose={() => setOpen(undefined)}
          onFilter={(changes) => {
            setOpen(undefined);
            changeQuery({ ...changes, cursor: undefined });
          }}
        />
      )}
    </Page>
  );
}
