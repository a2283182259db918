/** Console → Audit log: who changed what, with before and after. */
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
  // A token that is limited to some gateways has to name one.
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
    { head: "Who", cell: ({ actor }) => actor },
    { head: "Change", cell: ({ action }) => <code>{action}</code> },
    { head: "What", rowHeader: true, cell: (record) => nameIn(record) },
    {
      head: "Gateway",
      cell: ({ gateway_id: id }) =>
        gateways.find((one) => one.id === id)?.name ?? (
          <span className="muted">{id ? id.slice(0, 8) : "none"}</span>
        ),
    },
  ];
  return (
    <Page title="Audit log" about="Every administrative change, newest first. Secrets are masked.">
      <List
        caption="Administrative changes, newest first"
        what="The audit log"
        search="Search action, person or id"
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
              label="Of gateway"
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
        empty={<p>Nothing was changed yet.</p>}
      />
      {open && <Record record={open} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

function nameIn({ before, after, resource_id }: AuditRecord): string {
  const name = after?.name ?? before?.name;
  return typeof name === "string" ? name : resource_id;
}

function Record({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  return (
    <Dialog title={`${record.action}: ${nameIn(record)}`} onClose={onClose} sheet>
      <dl className="facts">
        <dt>Time</dt>
        <dd>
          <Timestamp at={record.at} precise />
        </dd>
        <dt>Who</dt>
        <dd>{record.actor}</dd>
        <dt>Id</dt>
        <dd>
          <code>{record.resource_id}</code>
        </dd>
        <dt>Request id</dt>
        <dd>
          <code>{record.request_id ?? "none"}</code>
        </dd>
        <dt>Trace id</dt>
        <dd>
          <code>{record.trace_id ?? "none"}</code>
        </dd>
      </dl>
      <h3>Changes</h3>
      <FieldChanges before={record.before} after={record.after} />
    </Dialog>
  );
}
