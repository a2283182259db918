/** Console → Registries: the upstreams of one gateway and what each can do. */
import type { Registry } from "../../contract/registries.ts";
import { registries } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Capabilities, StateBadge, Timestamp } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";

const COLUMNS: Column<Registry>[] = [
  {
    head: "Name",
    sort: "name",
    rowHeader: true,
    cell: ({ id, gateway_id, name, type }) => (
      <Link
        to={`/gateways/${gateway_id}/${type === "mcp" ? "store/instances" : "registries"}/${id}`}
      >
        {name}
      </Link>
    ),
  },
  { head: "Kind", sort: "provider", cell: ({ provider }) => <code>{provider}</code> },
  {
    head: "State",
    cell: ({ enabled }) => <StateBadge on={enabled} words={["enabled", "disabled"]} />,
  },
  { head: "Can do", cell: ({ capabilities }) => <Capabilities of={capabilities} /> },
  { head: "Changed", sort: "updated_at", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
];

export function RegistriesPage({ gateway_id }: { gateway_id: string }) {
  const { may } = useSession();
  const create = may("write") && (
    <Link to={`/gateways/${gateway_id}/registries/new`} className="button primary">
      <Icon name="plus" /> New registry
    </Link>
  );
  return (
    <Page
      title="Registries"
      about="The AI endpoints that requests of this gateway can go to."
      actions={create}
    >
      <List
        caption="Registries"
        what="The registries"
        search="Search name or kind"
        sorted="created_at"
        load={(query, read) => read(registries.list, { params: { gateway_id }, query })}
        columns={COLUMNS}
        empty={
          <>
            <p>This gateway has no registry yet, so its requests have nowhere to go.</p>
            {create}
          </>
        }
      />
    </Page>
  );
}
