/** Console → Policies: all policies, their modes and uses. */
import type { Policy } from "../../contract/guard/policies.ts";
import { collectors, policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { ModeBadge, Timestamp } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";

type Row = Policy & { used_by: number };

const COLUMNS: Column<Row>[] = [
  {
    head: "Name",
    sort: "name",
    rowHeader: true,
    cell: ({ id, name }) => <Link to={`/policies/${id}`}>{name}</Link>,
  },
  { head: "Mode", cell: ({ mode }) => <ModeBadge mode={mode} /> },
  { head: "Gates", number: true, cell: ({ gates }) => gates.length },
  { head: "Input rules", number: true, cell: ({ input_rules }) => input_rules.length },
  { head: "Output rules", number: true, cell: ({ output_rules }) => output_rules.length },
  { head: "Version", number: true, cell: ({ version }) => version },
  {
    head: "Used by",
    cell: ({ id, used_by }) => (
      <Link to={`/policies/${id}?tab=uses`}>
        {used_by === 1 ? "1 collector" : `${used_by} collectors`}
      </Link>
    ),
  },
  { head: "Created", sort: "created_at", cell: ({ created_at }) => <Timestamp at={created_at} /> },
];

export function PoliciesPage() {
  const { may } = useSession();
  const create = may("write") && (
    <Link to="/policies/new" className="button primary">
      <Icon name="plus" /> New policy
    </Link>
  );
  return (
    <Page
      title="Policies"
      about="A policy defines the action for each finding. Every save creates a version that can be restored."
      actions={create}
    >
      <List
        caption="Policies"
        what="The policies"
        search="Search name"
        sorted="created_at"
        load={async (query, read) => {
          const [page, all] = await Promise.all([
            read(policies.list, { params: {}, query }),
            readAllPages((pageQuery) => read(collectors.list, { params: {}, query: pageQuery })),
          ]);
          const items = page.items.map((policy) => ({
            ...policy,
            used_by: all.filter(({ default_policy_id }) => default_policy_id === policy.id).length,
          }));
          return { ...page, items };
        }}
        columns={COLUMNS}
        empty={
          <>
            <p>No policies yet. Every evaluation is allowed.</p>
            {create}
          </>
        }
      />
    </Page>
  );
}
