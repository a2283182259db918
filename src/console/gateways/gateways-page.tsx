/** Console → Gateways: all gateways of the installation. */
import type { Gateway } from "../../contract/gateway/gateways.ts";
import { gateways } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";

const COLUMNS: Column<Gateway>[] = [
  {
    head: "Name",
    sort: "name",
    rowHeader: true,
    cell: ({ id, name }) => <Link to={`/gateways/${id}`}>{name}</Link>,
  },
  { head: "Slug", sort: "slug", cell: ({ slug }) => <code>{slug}</code> },
  {
    head: "Plugins",
    cell: ({ required_plugins }) =>
      required_plugins.map(({ name }) => name).join(", ") || <span className="muted">none</span>,
  },
  { head: "Updated", sort: "updated_at", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
  { head: "Created", sort: "created_at", cell: ({ created_at }) => <Timestamp at={created_at} /> },
];

export function GatewaysPage() {
  const { may, allGateways } = useSession();
  const create = may("write") && allGateways && (
    <Link to="/gateways/new" className="button primary">
      <Icon name="plus" /> New gateway
    </Link>
  );
  return (
    <Page
      title="Gateways"
      about="A gateway groups registries, the consumers that use them, and the plugins that run on their requests."
      actions={create}
    >
      <List
        caption="Gateways"
        what="The gateways"
        search="Search name or slug"
        sorted="created_at"
        load={(query, read) => read(gateways.list, { params: {}, query })}
        columns={COLUMNS}
        empty={
          <>
            <p>No gateways yet.</p>
            {create}
          </>
        }
      />
    </Page>
  );
}
