/** How far a replay is, and which decisions it found to be others than they were. */
import type { ReplayReport } from "../../contract/replay.ts";
import { Link } from "../router.tsx";
import { Timestamp } from "../ui/badge.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import type { ReplayProgress } from "./replay-in-steps.ts";

type Change = ReplayReport["changes"][number] & { id: string };
type Decided = Change["before"];

interface Transition {
  id: string;
  before: Decided;
  after: Decided;
  count: number;
}

/** Enough to see what they have in common. */
const LISTED = 100;

export function ReplayOutcome({ progress, busy }: { progress: ReplayProgress; busy: boolean }) {
  const { done, total, report } = progress;
  const { evaluated, skipped, changes } = report;
  const listed = changes.slice(0, LISTED).map((change) => ({ ...change, id: change.event_id }));
  return (
    <>
      {busy && <progress aria-label="Events judged" value={done} max={Math.max(1, total)} />}
      <p role="status">
        {busy && `${done} of ${total} events. `}
        {!busy && done < total && `Stopped after ${done} of ${total} events. `}
        {evaluated} judged again, {changes.length} decided otherwise
        {skipped > 0 && `; ${skipped} left out, as their texts were not kept`}.
      </p>
      {!busy && evaluated === 0 && (
        <p className="empty">
          {skipped > 0
            ? "Collectors keep texts when their content storage is masked or full."
            : "No event was recorded in this time: choose a longer one."}
        </p>
      )}
      {changes.length > 0 && (
        <>
          <Table
            caption="Decisions that would be others, counted"
            columns={COUNTED}
            rows={transitionsOf(report)}
            empty=""
          />
          <div className="below">
            <h2>Events</h2>
            {changes.length > LISTED && <p>The newest {LISTED} of them.</p>}
            <Table caption="Events decided otherwise" columns={EVENTS} rows={listed} empty="" />
          </div>
        </>
      )}
    </>
  );
}

function transitionsOf({ transitions }: ReplayReport): Transition[] {
  return Object.entries(transitions)
    .sort(([, one], [, other]) => other - one)
    .map(([id, count]) => {
      // The server writes `allow→block`.
      const [before, after] = id.split("→") as [Decided, Decided];
      return { id, before, after, count };
    });
}

const COUNTED: Column<Transition>[] = [
  { head: "Was", rowHeader: true, cell: ({ before }) => <VerdictBadge status={before} /> },
  { head: "Would be", cell: ({ after }) => <VerdictBadge status={after} /> },
  { head: "Events", number: true, cell: ({ count }) => count },
];

const EVENTS: Column<Change>[] = [
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
  { head: "Was", cell: ({ before }) => <VerdictBadge status={before} /> },
  { head: "Would be", cell: ({ after }) => <VerdictBadge status={after} /> },
];
