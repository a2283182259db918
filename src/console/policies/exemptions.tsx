/** Texts that a policy does not report, because a finding was marked incorrect. */
import type { DetectorResource } from "../../contract/guard/detectors.ts";
import type { Exemption } from "../../contract/guard/feedback.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { List } from "../ui/list.tsx";
import { RowMenu } from "../ui/menu.tsx";
import type { Column } from "../ui/table.tsx";

interface ExemptionsProps {
  policy: Policy;
  detectors: readonly DetectorResource[];
}

export function Exemptions({ policy, detectors }: ExemptionsProps) {
  const { may, confirm, announce } = useSession();
  const params = { policy_id: policy.id };
  const remove = ({ id }: Exemption) =>
    confirm({
      title: "Delete this exemption?",
      body: <p>The policy reports the text again.</p>,
      button: "Delete exemption",
      run: async () => {
        await call(policies.removeExemption, { params: { ...params, exemption_id: id } });
        announce("The exemption was deleted.");
      },
    });
  const columns: Column<Exemption>[] = [
    {
      head: "Detector",
      rowHeader: true,
      cell: ({ detector_id }) => (
        <Link to={`/detectors/${detector_id}`}>
          {detectors.find(({ id }) => id === detector_id)?.name ?? detector_id}
        </Link>
      ),
    },
    { head: "Match", cell: ({ label }) => <code>{label}</code> },
    {
      head: "Event",
      cell: ({ event_id }) => (
        <Link to={`/activity?range=all&request_id=${event_id}&open=${event_id}`}>
          Open in Activity
        </Link>
      ),
    },
    { head: "Marked by", cell: ({ actor }) => actor },
    { head: "Created", cell: ({ created_at }) => <Timestamp at={created_at} /> },
  ];
  const actions: Column<Exemption> = {
    head: "Actions",
    cell: (row) => (
      <RowMenu
        of={`the exemption of ${row.label}`}
        items={[{ text: "Delete…", danger: true, onSelect: () => remove(row) }]}
      />
    ),
  };
  return (
    <List
      caption={`Exemptions of ${policy.name}, newest first`}
      what="The exemptions"
      load={({ cursor }, read) => read(policies.exemptions, { params, query: { cursor } })}
      columns={may("write") ? [...columns, actions] : columns}
      empty={
        <p>
          No exemptions. When you mark a finding as incorrect in Activity, this policy no longer
          reports exactly that text. Only a keyed hash of it is stored.
        </p>
      }
    />
  );
}
