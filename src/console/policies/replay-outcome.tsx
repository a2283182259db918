/** Progress of a replay, and the verdicts that would change. */
import type { ReplayReport } from "../../contract/guard/replay.ts";
import { Link } from "../router.tsx";
import { Timestamp } from "../ui/badge.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import type { ReplayProgress } from "./replay-in-steps.ts";

type VerdictChange = ReplayReport["changes"][number] & { id: string };
type ReplayVerdict = VerdictChange["before"];

interface Transition {
  id: string;
  before: ReplayVerdict;
  after: ReplayVerdict;
  count: number;
}

const MAX_LISTED = 100;

export function ReplayOutcome({ progress, busy }: { progress: ReplayProgress; busy: boolean }) {
  const { done, total, report } = progress;
  const { evaluated, skipped, changes } = report;
  const listed = changes.slice(0, MAX_LISTED).map((change) => ({ ...change, id: change.event_id }));
  return (
    <>
      {busy && <progress aria-label="Replayed events" value={done} max={Math.max(1, total)} />}
      <p role="status">
        {busy && `${done} of ${total} events. `}
        {!busy && done < total && `Stopped after ${done} of ${total} events. `}
        {evaluated} replayed, {changes.length} changed
        {skipped > 0 && `; ${skipped} skipped because their content was not stored`}.
      </p>
      {!busy && evaluated === 0 && (
        <p className="empty">
          {skipped > 0
            ? "Collectors store content if their content storage is masked or full."
            : "No events in this time range. Select a longer one."}
        </p>
      )}
      {changes.length > 0 && (
        <>
          <Table
            caption="Changed verdicts"
            columns={TRANSITION_COLUMNS}
            rows={toTransitions(report)}
            empty=""
          />
          <div className="below">
            <h2>Events</h2>
            {changes.length > MAX_LISTED && <p>The latest {MAX_LISTED}.</p>}
            <Table
              caption="Events with a changed verdict"
              columns={EVENT_COLUMNS}
              rows={listed}
              empty=""
            />
          </div>
        </>
      )}
    </>
  );
}

function toTransitions({ transitions }: ReplayReport): Transition[] {
  return Object.entries(transitions)
    .sort(([, one], [, other]) => other - one)
    .map(([id, count]) => {
      // The server writes `allow→block`.
      const [before, after] = id.split("→") as [ReplayVerdict, ReplayVerdict];
      return { id, before, after, count };
    });
}

const TRANSITION_COLUMNS: Column<Transition>[] = [
  { head: "Before", rowHeader: true, cell: ({ before }) => <VerdictBadge status={before} /> },
  { head: "After", cell: ({ after }) => <VerdictBadge status={after} /> },
  { head: "Events", number: true, cell: ({ count }) => count },
];

const EVENT_COLUMNS: Column<VerdictChange>[] = [
  {
    head: "Time",
    rowHeader: true,
    cell: ({ id, time }) => (
      <Link to={`/activity?range=all&request_id=${id}`}>
        <Timestamp at={time} precise />
      </Link>
    ),
  },
  { head: "Direction", cell: ({ direction }) => direction },
  { head: "Before", cell: ({ before }) => <VerdictBadge status={before} /> },
  { head: "After", cell: ({ after }) => <VerdictBadge status={after} /> },
];
