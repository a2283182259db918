/** MCP instances of a gateway, and changes that an administrator must review. */
import type { Registry } from "../../../contract/gateway/registries.ts";
import { call } from "../../api.ts";
import { registries } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";
import { Link } from "../../router.tsx";
import { useSession } from "../../session.ts";
import { StateBadge, Timestamp } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { Failure } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { type ActionState, useAction } from "../../use-action.ts";
import { ChangedServers } from "./authorization-server-section.tsx";
import { HeldTools } from "./held-tools.tsx";

export function StoreInstances({ gateway_id }: { gateway_id: string }) {
  const { may, announce } = useSession();
  const toggle = useAction(async ({ id, name, enabled, version }: Registry) => {
    const params = { gateway_id, registry_id: id };
    await call(registries.update, { params, body: { enabled: !enabled }, version });
    announce(`${name} is now ${enabled ? "disabled" : "enabled"}.`);
  });
  const create = may("write") && (
    <Link to={`/gateways/${gateway_id}/store/instances/new`} className="button primary">
      <Icon name="plus" /> New instance
    </Link>
  );
  return (
    <>
      <ChangedServers gateway_id={gateway_id} />
      <HeldTools gateway_id={gateway_id} />
      <Failure title="The change failed." error={toggle.error} />
      <List
        caption="Instances"
        what="The instances"
        search="Search name"
        sorted="created_at"
        filters={create}
        load={async ({ q, sort }, read) => {
          const all = await readAllPages((page) =>
            read(registries.list, { params: { gateway_id }, query: { ...page, q, sort } }),
          );
          return { items: all.filter(({ type }) => type === "mcp"), next_cursor: null };
        }}
        columns={may("write") ? [...COLUMNS, actionsColumn(toggle)] : COLUMNS}
        empty={
          <p>
            No instances yet. The first install creates the instance of a server that needs no
            setup. For other servers, create one.
          </p>
        }
      />
    </>
  );
}

const CREDENTIALS: Partial<Record<NonNullable<Registry["auth"]>["type"], string>> = {
  header: "shared header",
  forwarded: "account per person",
  client_credentials: "gateway account",
  principal_key: "key per person",
};

const COLUMNS: Column<Registry>[] = [
  {
    head: "Name",
    sort: "name",
    rowHeader: true,
    cell: ({ id, gateway_id, name }) => (
      <Link to={`/gateways/${gateway_id}/store/instances/${id}`}>{name}</Link>
    ),
  },
  {
    head: "Server",
    cell: ({ provider_options: { code } }) =>
      typeof code === "string" ? <code>{code}</code> : <span className="muted">none</span>,
  },
  {
    head: "State",
    cell: ({ enabled }) => <StateBadge on={enabled} words={["enabled", "disabled"]} />,
  },
  { head: "Credential", cell: ({ auth }) => (auth ? CREDENTIALS[auth.type] : "none") },
  {
    head: "Tools",
    cell: ({ provider_options: { allowed_tools } }) =>
      Array.isArray(allowed_tools) ? `${allowed_tools.length} allowed` : "all",
  },
  { head: "Updated", sort: "updated_at", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
];

const actionsColumn = (toggle: ActionState<[Registry]>): Column<Registry> => ({
  head: "Actions",
  cell: (row) => (
    <button
      type="button"
      className="button small"
      disabled={toggle.busy}
      onClick={() => void toggle.run(row)}
    >
      {row.enabled ? "Disable" : "Enable"}
      <span className="visually-hidden"> {row.name}</span>
    </button>
  ),
});
