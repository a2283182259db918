/** Collectors and overrides that use a policy. */
import type { Policy } from "../../contract/guard/policies.ts";
import { policies } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { Ready } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { useLoad } from "../use-load.ts";

interface Row {
  id: string;
  collector_id: string;
  collector_name: string;
  /** null: every consumer_id without an override. */
  consumer_id: string | null;
  version: number | null;
}

export function PolicyUses({ policy }: { policy: Policy }) {
  const loaded = useLoad(policy.id, (read) =>
    read(policies.uses, { params: { policy_id: policy.id } }),
  );
  const columns: Column<Row>[] = [
    {
      head: "Collector",
      rowHeader: true,
      cell: ({ collector_id, collector_name, consumer_id }) => (
        <Link to={`/collectors/${collector_id}${consumer_id === null ? "" : "?tab=overrides"}`}>
          {collector_name}
        </Link>
      ),
    },
    {
      head: "For",
      cell: ({ consumer_id }) => (consumer_id === null ? "everyone" : <code>{consumer_id}</code>),
    },
    { head: "Version", cell: ({ version }) => version ?? `latest (${policy.version})` },
  ];
  return (
    <Ready of={loaded} what="The collectors">
      {({ items }) => (
        <Table
          caption={`Uses of ${policy.name}`}
          columns={columns}
          rows={items.map((use) => ({ ...use, id: `${use.collector_id} ${use.consumer_id}` }))}
          empty={
            <>
              <p>No collector uses this policy yet. Select it in a collector.</p>
              <Link to="/collectors" className="button">
                Collectors
              </Link>
            </>
          }
        />
      )}
    </Ready>
  );
}
