/** Console → Detectors: configured detectors, used by the rules of policies. */
import type { DetectorResource } from "../../contract/guard/detectors.ts";
import { detectors } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { StateBadge, Timestamp } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";

type Row = DetectorResource & { title: string };

const COLUMNS: Column<Row>[] = [
  {
    head: "Name",
    sort: "name",
    rowHeader: true,
    cell: ({ id, name }) => <Link to={`/detectors/${id}`}>{name}</Link>,
  },
  { head: "Kind", sort: "kind", cell: ({ title }) => title },
  {
    head: "State",
    cell: ({ enabled }) => <StateBadge on={enabled} words={["enabled", "disabled"]} />,
  },
  { head: "Created", sort: "created_at", cell: ({ created_at }) => <Timestamp at={created_at} /> },
  { head: "Updated", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
];

export function DetectorsPage() {
  const { may } = useSession();
  const create = may("write") && (
    <Link to="/detectors/new" className="button primary">
      <Icon name="plus" /> New detector
    </Link>
  );
  return (
    <Page
      title="Detectors"
      about="A detector finds content in text. The rules of a policy define the action."
      actions={create}
    >
      <List
        caption="Detectors"
        what="The detectors"
        search="Search name or kind"
        sorted="created_at"
        load={async (query, read) => {
          const [page, catalog] = await Promise.all([
            read(detectors.list, { params: {}, query }),
            read(detectors.catalog, { params: {} }),
          ]);
          const items = page.items.map((detector) => ({
            ...detector,
            title: catalog.items.find(({ kind }) => kind === detector.kind)?.title ?? detector.kind,
          }));
          return { ...page, items };
        }}
        columns={COLUMNS}
        empty={
          <>
            <p>No detectors yet. The rules of a policy need at least one.</p>
            {create}
          </>
        }
      />
    </Page>
  );
}
