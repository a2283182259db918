/** Installs of the Store, and their state. */
import type { Install } from "../../contract/store/installs.ts";
import { call } from "../api.ts";
import { storeInstalls } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Badge, Timestamp } from "../ui/badge.tsx";
import { List } from "../ui/list.tsx";
import { RowMenu } from "../ui/menu.tsx";
import type { Column } from "../ui/table.tsx";

export function StoreInstalls({ gateway_id }: { gateway_id: string }) {
  const { may, confirm, announce } = useSession();
  const remove = ({ id, principal_sub, code }: Install) =>
    confirm({
      title: `Remove ${code} from ${principal_sub}?`,
      body: (
        <p>
          Deletes the install, the values that {principal_sub} entered and the connected account.
          The approval is kept: the server can be installed again.
        </p>
      ),
      button: "Remove install",
      run: async () => {
        await call(storeInstalls.remove, { params: { gateway_id, install_id: id } });
        announce(`${code} was removed from ${principal_sub}.`);
      },
    });
  return (
    <List
      caption="Installs"
      what="The installs"
      search="Search person or server"
      sorted="created_at"
      load={(query, read) => read(storeInstalls.list, { params: { gateway_id }, query })}
      columns={may("write") ? [...COLUMNS, actionsColumn(remove)] : COLUMNS}
      empty={
        <p>
          No installs yet. Servers that people install, and requests that you approve, appear here.
        </p>
      }
    />
  );
}

const COLUMNS: Column<Install>[] = [
  {
    head: "Person",
    sort: "principal_sub",
    rowHeader: true,
    cell: (install) => install.principal_sub,
  },
  { head: "Server", sort: "code", cell: ({ code }) => <code>{code}</code> },
  {
    head: "Instance",
    cell: ({ gateway_id, instance_id, name }) => (
      <Link to={`/gateways/${gateway_id}/store/instances/${instance_id}`}>{name}</Link>
    ),
  },
  { head: "State", cell: (install) => <State install={install} /> },
  { head: "Expires", cell: ({ ends_at }) => <Timestamp at={ends_at} /> },
  {
    head: "Installed",
    sort: "created_at",
    cell: ({ created_at }) => <Timestamp at={created_at} />,
  },
];

const actionsColumn = (remove: (install: Install) => void): Column<Install> => ({
  head: "Actions",
  cell: (install) => (
    <RowMenu
      of={`${install.code} of ${install.principal_sub}`}
      items={[{ text: "Remove…", danger: true, onSelect: () => remove(install) }]}
    />
  ),
});

const REASONS: Record<NonNullable<Install["suspended_because"]>, string> = {
  access: "no access",
  instance_disabled: "instance disabled",
  authorization_server_changed: "authorization server changed",
  grant_ended: "approval ended",
  not_in_catalog: "not in the catalog",
};

function State({ install }: { install: Install }) {
  const { suspended_because, requires_auth, requires_config } = install;
  if (suspended_because) {
    return <Badge tone="bad" icon="cross" text={`suspended: ${REASONS[suspended_because]}`} />;
  }
  if (requires_config) return <Badge tone="warn" icon="pencil" text="needs configuration" />;
  if (requires_auth) return <Badge tone="warn" icon="token" text="needs an account" />;
  return <Badge tone="good" icon="check" text="active" />;
}
