/** Console → Collectors: who asks for verdicts, and which policy judges. */
import type { Collector } from "../../contract/collectors.ts";
import type { Policy } from "../../contract/policies.ts";
import { collectors, policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Badge, Timestamp } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";

type Row = Collector & { policy: Policy | undefined };

const COLUMNS: Column<Row>[] = [
  {
    head: "Name",
    sort: "name",
    rowHeader: true,
    cell: ({ id, name }) => <Link to={`/collectors/${id}`}>{name}</Link>,
  },
  { head: "Type", sort: "type", cell: ({ type }) => type },
  { head: "Policy", cell: (row) => <JudgedBy {...row} /> },
  { head: "When a detector fails", cell: ({ fail_mode }) => FAILING[fail_mode] },
  { head: "Texts kept", cell: ({ content_storage }) => content_storage },
  { head: "Days kept", number: true, cell: ({ retention_days }) => retention_days },
  { head: "Created", sort: "created_at", cell: ({ created_at }) => <Timestamp at={created_at} /> },
];

const FAILING: Record<Collector["fail_mode"], string> = {
  closed: "answers an error",
  open: "goes on without it",
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
      about="An application that asks the guard for verdicts: its policy, its keys, and what is kept."
      actions={create}
    >
      <List
        caption="Collectors"
        what="The collectors"
        search="Search name, key or type"
        sorted="created_at"
        load={async (query, read) => {
          const [page, known] = await Promise.all([
            read(collectors.list, { params: {}, query }),
            readAllPages((asked) => read(policies.list, { params: {}, query: asked })),
          ]);
          const items = page.items.map((collector) => ({
            ...collector,
            policy: known.find(({ id }) => id === collector.default_policy_id),
          }));
          return { ...page, items };
        }}
        columns={COLUMNS}
        empty={
          <>
            <p>There is no collector yet, so no application can ask for a verdict.</p>
            {create}
          </>
        }
      />
    </Page>
  );
}

function JudgedBy({ policy, default_policy_version: pinned }: Row) {
  if (!policy) return <Badge tone="warn" icon="warning" text="none: all is allowed" />;
  return (
    <>
      <Link to={`/policies/${policy.id}`}>{policy.name}</Link>
      {pinned !== null && <span className="muted"> version {pinned}</span>}
    </>
  );
}
