/** Console → Collectors: the applications that request evaluations, and their policies. */
import type { Collector } from "../../contract/guard/collectors.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { collectors, policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Badge, ModeBadge, Timestamp } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { isObserving } from "./observed.tsx";

type Row = Collector & { policy: Policy | undefined };

const COLUMNS: Column<Row>[] = [
  {
    head: "Name",
    sort: "name",
    rowHeader: true,
    cell: ({ id, name }) => <Link to={`/collectors/${id}`}>{name}</Link>,
  },
  { head: "Type", sort: "type", cell: ({ type }) => type },
  { head: "Policy", cell: (row) => <PolicyCell {...row} /> },
  { head: "On detector failure", cell: ({ fail_mode }) => FAIL_MODES[fail_mode] },
  { head: "Content storage", cell: ({ content_storage }) => content_storage },
  { head: "Retention (days)", number: true, cell: ({ retention_days }) => retention_days },
  { head: "Created", sort: "created_at", cell: ({ created_at }) => <Timestamp at={created_at} /> },
];

const FAIL_MODES: Record<Collector["fail_mode"], string> = {
  closed: "returns an error",
  open: "continues without it",
};

export function CollectorsPage() {
  const { may } = useSession();
  const create = may("write") && (
    <Link to="/collectors/new" className="button primary">
      <Icon name="plus" /> New collector
    </Link>
  );
  return (
    <Page
      title="Collectors"
      about="Applications that request evaluations: their policy, keys and stored content."
      actions={create}
    >
      <List
        caption="Collectors"
        what="The collectors"
        search="Search name, key or type"
        sorted="created_at"
        load={async (query, read) => {
          const [page, all] = await Promise.all([
            read(collectors.list, { params: {}, query }),
            readAllPages((pageQuery) => read(policies.list, { params: {}, query: pageQuery })),
          ]);
          const items = page.items.map((collector) => ({
            ...collector,
            policy: all.find(({ id }) => id === collector.default_policy_id),
          }));
          return { ...page, items };
        }}
        columns={COLUMNS}
        empty={
          <>
            <p>No collectors yet. Add one for each application that requests evaluations.</p>
            {create}
          </>
        }
      />
    </Page>
  );
}

function PolicyCell({ policy, default_policy_version: pinned, observe_until }: Row) {
  if (!policy) return <Badge tone="warn" icon="warning" text="none: everything is allowed" />;
  return (
    <>
      <Link to={`/policies/${policy.id}`}>{policy.name}</Link>
      {pinned !== null && <span className="muted"> version {pinned}</span>}
      {isObserving({ observe_until }) && <ModeBadge mode="observe" />}
    </>
  );
}
