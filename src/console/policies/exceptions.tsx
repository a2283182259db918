/** Texts that a policy does not report: passages that were allowed, and findings that were marked incorrect. */
import type { DetectorResource } from "../../contract/guard/detectors.ts";
import type { Exception } from "../../contract/guard/exceptions.ts";
import type { Exemption } from "../../contract/guard/feedback.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { toReference } from "../../contract/guard/to-reference.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { List } from "../ui/list.tsx";
import { RowMenu } from "../ui/menu.tsx";
import type { Column } from "../ui/table.tsx";

interface ExceptionsProps {
  policy: Policy;
  detectors: readonly DetectorResource[];
}

type Row = Exception | Exemption;

const isPassage = (row: Row): row is Exception => "passage_sha256" in row;
const nameOf = (row: Row): string => (isPassage(row) ? toReference(row.passage_sha256) : row.label);

export function Exceptions({ policy, detectors }: ExceptionsProps) {
  const { may, confirm, announce } = useSession();
  const params = { policy_id: policy.id };
  const remove = (row: Row) =>
    confirm({
      title: "Remove this exception?",
      body: <p>The policy reports the text again.</p>,
      button: "Remove exception",
      run: async () => {
        await (isPassage(row)
          ? call(policies.removeException, { params: { ...params, exception_id: row.id } })
          : call(policies.removeExemption, { params: { ...params, exemption_id: row.id } }));
        announce("The exception was removed.");
      },
    });
  const columns: Column<Row>[] = [
    {
      head: "Text",
      rowHeader: true,
      cell: (row) => {
        const filter = isPassage(row)
          ? `reference=${row.passage_sha256}`
          : `request_id=${row.event_id}&open=${row.event_id}`;
        return (
          <Link to={`/activity?range=all&${filter}`} title="Open in Activity">
            <code>{nameOf(row)}</code>
          </Link>
        );
      },
    },
    {
      head: "Detector",
      cell: ({ detector_id }) =>
        detector_id === null ? (
          "Every detector"
        ) : (
          <Link to={`/detectors/${detector_id}`}>
            {detectors.find(({ id }) => id === detector_id)?.name ?? detector_id}
          </Link>
        ),
    },
    { head: "Reason", cell: (row) => (isPassage(row) ? row.reason : "Marked incorrect") },
    { head: "Added by", cell: (row) => (isPassage(row) ? row.created_by : row.actor) },
    { head: "Created", cell: ({ created_at }) => <Timestamp at={created_at} /> },
    { head: "Expires", cell: (row) => <Timestamp at={isPassage(row) ? row.expires_at : null} /> },
  ];
  const actions: Column<Row> = {
    head: "Actions",
    cell: (row) => (
      <RowMenu
        of={`the exception ${nameOf(row)}`}
        items={[{ text: "Remove…", danger: true, onSelect: () => remove(row) }]}
      />
    ),
  };
  return (
    <List<Row>
      caption={`Exceptions of ${policy.name}, newest first`}
      what="The exceptions"
      load={async (_, read) => {
        const [allowed, exempt] = await Promise.all([
          readAllPages((query) => read(policies.exceptions, { params, query })),
          readAllPages((query) => read(policies.exemptions, { params, query })),
        ]);
        const items = [...allowed, ...exempt];
        items.sort((one, other) => other.created_at.localeCompare(one.created_at));
        return { items, next_cursor: null };
      }}
      columns={may("write") ? [...columns, actions] : columns}
      empty={
        <p>
          No exceptions. In Activity, allow a passage or mark a finding as incorrect, and this
          policy no longer reports exactly that text. Only a hash of it is stored.
        </p>
      }
    />
  );
}
