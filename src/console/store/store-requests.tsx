/** Requests for MCP servers of the Store. */
import type { StoreRequest } from "../../contract/store/requests.ts";
import { storeRequests } from "../endpoints.ts";
import { changeQuery, Link, useLocation } from "../router.tsx";
import { Chips, Timestamp } from "../ui/badge.tsx";
import { DecisionBadge } from "../ui/decision-badge.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { List } from "../ui/list.tsx";
import type { Column } from "../ui/table.tsx";

/** The first is the default. */
const STATES = [
  ["", "Pending"],
  ["approved", "Approved"],
  ["rejected", "Rejected"],
  ["cancelled", "Cancelled"],
  ["expired", "Expired"],
  ["superseded", "Superseded"],
  ["all", "All"],
] as const;

export function StoreRequests({ gateway_id }: { gateway_id: string }) {
  const { search } = useLocation();
  const state = search.get("state") ?? "";
  return (
    <List
      live="store_requests"
      caption="Requests for servers"
      what="The requests"
      search="Search person or server"
      sorted="created_at"
      filters={
        <SelectField
          label="State"
          value={state}
          options={STATES}
          onChange={(value) => changeQuery({ state: value, cursor: undefined })}
        />
      }
      load={(query, read) =>
        read(storeRequests.list, {
          params: { gateway_id },
          query: { ...query, ...toStateQuery(state) },
        })
      }
      columns={COLUMNS}
      empty={
        <p>
          No pending requests. A request appears here when a person with the access level{" "}
          <code>request</code> wants to install a server.
        </p>
      }
    />
  );
}

/** The server rejects unknown states. */
const toStateQuery = (state: string) =>
  state === "all" ? {} : { state: (state || "pending") as StoreRequest["state"] };

const COLUMNS: Column<StoreRequest>[] = [
  {
    head: "Requested",
    sort: "created_at",
    cell: ({ id, gateway_id, created_at }) => (
      <Link to={`/approvals?kind=store_request&gateway_id=${gateway_id}&status=all&open=${id}`}>
        <Timestamp at={created_at} />
      </Link>
    ),
  },
  {
    head: "Person",
    sort: "principal_sub",
    rowHeader: true,
    cell: (request) => request.principal_sub,
  },
  { head: "Groups", cell: ({ groups }) => <Chips of={groups} /> },
  { head: "Server", sort: "code", cell: ({ code }) => <code>{code}</code> },
  { head: "Reason", cell: ({ reason }) => <span className="brief">{reason}</span> },
  { head: "State", sort: "state", cell: ({ state }) => <DecisionBadge state={state} /> },
  { head: "Expires", cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
];
