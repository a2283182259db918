/** Identity providers whose tokens identify people in the Store of a gateway. */
import { useState } from "react";
import type { Issuer } from "../../../contract/store/principals.ts";
import { call } from "../../api.ts";
import { issuers } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { StateBadge, Timestamp } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { RowMenu } from "../../ui/menu.tsx";
import type { Column } from "../../ui/table.tsx";
import { IssuerDialog } from "./issuer-dialog.tsx";

export function StoreIssuers({ gateway_id }: { gateway_id: string }) {
  const { may, confirm, announce } = useSession();
  const [open, setOpen] = useState<Issuer | "new">();
  const remove = ({ id, name, version }: Issuer) =>
    confirm({
      title: `Delete ${name}?`,
      body: (
        <p>
          Tokens of this issuer stop working at once. The installs of its people are kept, and apply
          again to anyone with the same subject. This cannot be undone.
        </p>
      ),
      button: "Delete issuer",
      run: async () => {
        await call(issuers.remove, { params: { gateway_id, issuer_id: id }, version });
        announce(`Issuer ${name} was deleted.`);
      },
    });
  const columns = [nameColumn(setOpen), ...COLUMNS];
  return (
    <>
      <List
        caption="Issuers"
        what="The issuers"
        search="Search name or issuer"
        sorted="created_at"
        filters={
          may("write") && (
            <button type="button" className="button primary" onClick={() => setOpen("new")}>
              <Icon name="plus" /> New issuer
            </button>
          )
        }
        load={(query, read) => read(issuers.list, { params: { gateway_id }, query })}
        columns={may("write") ? [...columns, actionsColumn(remove)] : columns}
        empty={
          <p>
            No identity providers yet. Add one to let people use the Store with its tokens. Until
            then, they need personal tokens.
          </p>
        }
      />
      {open && (
        <IssuerDialog
          gateway_id={gateway_id}
          issuer={open === "new" ? undefined : open}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

const nameColumn = (open: (issuer: Issuer) => void): Column<Issuer> => ({
  head: "Name",
  sort: "name",
  rowHeader: true,
  cell: (issuer) => (
    <button type="button" className="link" onClick={() => open(issuer)}>
      {issuer.name}
    </button>
  ),
});

const COLUMNS: Column<Issuer>[] = [
  {
    head: "Issuer and audience",
    cell: ({ issuer, audience }) => (
      <>
        <code>{issuer}</code>
        <br />
        <code className="muted">{audience}</code>
      </>
    ),
  },
  {
    head: "State",
    cell: ({ enabled, listed }) => (
      <>
        <StateBadge on={enabled} words={["enabled", "disabled"]} />
        {!listed && (
          <p className="muted">
            MCP clients do not find it: an administrator of all gateways has to save it.
          </p>
        )}
      </>
    ),
  },
  { head: "Updated", sort: "updated_at", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
];

const actionsColumn = (remove: (issuer: Issuer) => void): Column<Issuer> => ({
  head: "Actions",
  cell: (issuer) => (
    <RowMenu
      of={issuer.name}
      items={[{ text: "Delete…", danger: true, onSelect: () => remove(issuer) }]}
    />
  ),
});
