/** Console → Registries: the upstreams of a gateway and their capabilities. */
import type { Registry } from "../../contract/gateway/registries.ts";
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
  { head: "Provider", sort: "provider", cell: ({ provider }) => <code>{provider}</code> },
  {
    head: "State",
    cell: ({ enabled }) => <StateBadge on={enabled} words={["enabled", "disabled"]} />,
  },
  { head: "Capabilities", cell: ({ capabilities }) => <Capabilities of={capabilities} /> },
  { head: "Updated", sort: "updated_at", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
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
      about="AI providers that this gateway can send requests to."
      actions={create}
    >
      <List
        caption="Registries"
        what="The registries"
        search="Search name or provider"
        sorted="created_at"
        load={(query, read) => read(registries.list, { params: { gateway_id }, query })}
        columns={COLUMNS}
        empty={
          <>
            <p>No registries yet. Add one so that requests can be sent to a provider.</p>
            {create}
          </>
        }
      />
    </Page>
  );
}
