/** Console → Consumers: the applications of a gateway and their addresses. */
import type { Consumer } from "../../contract/gateway/consumers.ts";
import { ROOT_URL } from "../api.ts";
import { consumers } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { StateBadge, Timestamp } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";

const COLUMNS: Column<Consumer>[] = [
  {
    head: "Name",
    sort: "name",
    rowHeader: true,
    cell: ({ id, gateway_id, name }) => (
      <Link to={`/gateways/${gateway_id}/consumers/${id}`}>{name}</Link>
    ),
  },
  {
    head: "Address",
    sort: "slug",
    cell: ({ slug }) => <code>{`${new URL(slug, ROOT_URL).href}/v1`}</code>,
  },
  {
    head: "State",
    cell: ({ active }) => <StateBadge on={active} words={["active", "inactive"]} />,
  },
  { head: "Registries", number: true, cell: ({ registries }) => registries.length },
  { head: "Balancing", cell: ({ balancing }) => balancing.algorithm.replaceAll("_", " ") },
  { head: "Updated", sort: "updated_at", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
];

export function ConsumersPage({ gateway_id }: { gateway_id: string }) {
  const { may } = useSession();
  const create = may("write") && (
    <Link to={`/gateways/${gateway_id}/consumers/new`} className="button primary">
      <Icon name="plus" /> New consumer
    </Link>
  );
  return (
    <Page
      title="Consumers"
      about="Applications, each with its own address, keys and registries."
      actions={create}
    >
      <List
        caption="Consumers"
        what="The consumers"
        search="Search name or slug"
        sorted="created_at"
        load={(query, read) => read(consumers.list, { params: { gateway_id }, query })}
        columns={COLUMNS}
        empty={
          <>
            <p>No consumers yet. Add one for each application that sends requests.</p>
            {create}
          </>
        }
      />
    </Page>
  );
}
