/** Console → Audit log: administrative changes, with the values before and after. */
import { useState } from "react";
import type { AuditRecord } from "../../contract/audit.ts";
import { auditLog } from "../endpoints.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { FieldChanges } from "../ui/field-changes.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";

const RESOURCES = [
  "gateway",
  "registry",
  "consumer",
  "consumer_key",
  "policy",
  "detector",
  "collector",
  "collector_key",
  "service_client",
  "override",
  "approval",
  "activity",
  "store_request",
  "store_install",
  "access_rule",
  "catalog_entry",
  "principal_token",
  "issuer",
  "token",
];

export function AuditPage() {
  const { allGateways, gateway, gateways } = useSession();
  const { search } = useLocation();
  const [open, setOpen] = useState<AuditRecord>();
  const resource = search.get("resource") ?? "";
  // A token that is limited to some gateways must filter by one.
  const gateway_id = search.get("gateway_id") ?? (allGateways ? "" : (gateway?.id ?? ""));
  const columns: Column<AuditRecord>[] = [
    {
      head: "Time",
      cell: (record) => (
        <button type="button" className="link" onClick={() => setOpen(record)}>
          <Timestamp at={record.at} precise />
        </button>
      ),
    },
    { head: "Actor", cell: ({ actor }) => actor },
    { head: "Action", cell: ({ action }) => <code>{action}</code> },
    { head: "Resource", rowHeader: true, cell: (record) => resourceName(record) },
    {
      head: "Gateway",
      cell: ({ gateway_id: id }) =>
        gateways.find((gateway) => gateway.id === id)?.name ?? (
          <span className="muted">{id ? id.slice(0, 8) : "none"}</span>
        ),
    },
  ];
  return (
    <Page title="Audit log" about="Every administrative change, newest first. Secrets are masked.">
      <List
        caption="Administrative changes, newest first"
        what="The audit log"
        search="Search action, actor or ID"
        filters={
          <>
            <SelectField
              label="Resource"
              value={resource}
              options={[
                ["", "Any"],
                ...RESOURCES.map((name) => [name, name.replaceAll("_", " ")] as const),
              ]}
              onChange={(value) => changeQuery({ resource: value, cursor: undefined })}
            />
            <SelectField
              label="In gateway"
              value={gateway_id}
              options={[
                ...(allGateways ? [["", "Any"] as const] : []),
                ...gateways.map(({ id, name, slug }) => [id, `${name} (${slug})`] as const),
              ]}
              onChange={(value) => changeQuery({ gateway_id: value, cursor: undefined })}
            />
          </>
        }
        load={({ q, cursor }, read) =>
          read(auditLog.list, {
            params: {},
            query: {
              q,
              cursor,
              resource: resource || undefined,
              gateway_id: gateway_id || undefined,
            },
          })
        }
        columns={columns}
        empty={<p>No changes yet.</p>}
      />
      {open && <RecordSheet record={open} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

function resourceName({ before, after, resource_id }: AuditRecord): string {
  const name = after?.name ?? before?.name;
  return typeof name === "string" ? name : resource_id;
}

function RecordSheet({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  return (
    <Dialog title={`${record.action}: ${resourceName(record)}`} onClose={onClose} sheet>
      <dl className="facts">
        <dt>Time</dt>
        <dd>
          <Timestamp at={record.at} precise />
        </dd>
        <dt>Actor</dt>
        <dd>{record.actor}</dd>
        <dt>ID</dt>
        <dd>
          <code>{record.resource_id}</code>
        </dd>
        <dt>Request ID</dt>
        <dd>
          <code>{record.request_id ?? "none"}</code>
        </dd>
        <dt>Trace ID</dt>
        <dd>
          <code>{record.trace_id ?? "none"}</code>
        </dd>
      </dl>
      <h3>Changes</h3>
      <FieldChanges before={record.before} after={record.after} />
    </Dialog>
  );
}
