/** Lets a collector observe for a week, and shows what its policies would have done. */
import type { Collector, ObservedFindings } from "../../contract/guard/collectors.ts";
import { now } from "../../lib/time/clock.ts";
import { call } from "../api.ts";
import { collectors } from "../endpoints.ts";
import { Link, navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { Failure, Ready } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import { useAction } from "../use-action.ts";
import { useLoad } from "../use-load.ts";

const WEEK_MS = 7 * 86_400_000;

export const isObserving = ({ observe_until }: Pick<Collector, "observe_until">): boolean =>
  observe_until !== null && new Date(observe_until) > now();

export function ObserveButton({ collector }: { collector: Collector }) {
  const { may, announce } = useSession();
  const { id: collector_id, name, version } = collector;
  const observes = isObserving(collector);
  const action = useAction(async () => {
    // null instead of this time: the clock of the server may be behind.
    const observe_until = observes ? null : new Date(now().getTime() + WEEK_MS).toISOString();
    await call(collectors.update, { params: { collector_id }, body: { observe_until }, version });
    navigate(`/collectors/${collector_id}?tab=observed`);
    announce(`${name} ${observes ? "enforces its policies" : "observes for a week"}.`);
  });
  if (!may("write")) return null;
  return (
    <>
      <button type="button" className="button" disabled={action.busy} onClick={action.run}>
        {observes ? "Enforce now" : "Observe for a week"}
      </button>
      <Failure title="The collector was not changed." error={action.error} />
    </>
  );
}

type Row = ObservedFindings & { id: string };

const COLUMNS: Column<Row>[] = [
  { head: "Action", cell: ({ action }) => <VerdictBadge status={action} /> },
  { head: "Type", rowHeader: true, cell: ({ type }) => <code>{type}</code> },
  { head: "Place", cell: ({ place }) => (place === null ? "none" : <code>{place}</code>) },
  { head: "Detector or gate", cell: ({ detector_name }) => detector_name },
  { head: "Count", number: true, cell: ({ count }) => count.toLocaleString() },
  {
    head: "Newest",
    cell: ({ last_event_id: id, last_time }) => (
      <Link to={`/activity?range=all&request_id=${id}&open=${id}`}>
        <Timestamp at={last_time} precise />
      </Link>
    ),
  },
];

export function Observed({ collector }: { collector: Collector }) {
  const { id, observe_until } = collector;
  const ended = isObserving(collector) ? null : observe_until;
  // After the end, since the week before it.
  const from = ended ? new Date(Date.parse(ended) - WEEK_MS).toISOString() : undefined;
  const loaded = useLoad(`${id} ${from}`, (read) =>
    read(collectors.observed, { params: { collector_id: id }, query: { from } }),
  );
  return (
    <Ready of={loaded} what="The observed evaluations">
      {({ from: since, evaluations, items, truncated }) => (
        <>
          <h2>What would have happened</h2>
          <p className="prose">
            {evaluations.toLocaleString()} evaluations since <Timestamp at={since} />.
            {truncated && " Only the newest 20,000 events and the first 200 groups are counted."}
            {ended && " The observation ended "}
            {ended && <Timestamp at={ended} />}
          </p>
          <Table
            caption="What would have happened"
            columns={COLUMNS}
            rows={items.map((item, index) => ({ ...item, id: String(index) }))}
            empty={<p>Nothing would have been blocked or withheld yet.</p>}
          />
        </>
      )}
    </Ready>
  );
}
