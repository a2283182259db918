/** Progress of a replay, and the verdicts that would change. */
import type { ReplayReport } from "../../contract/guard/replay.ts";
import { Link } from "../router.tsx";
import { Timestamp } from "../ui/badge.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import type { ReplayProgress } from "./replay-in-steps.ts";

type VerdictChange = ReplayReport["changes"][number] & { id: string };
type Skip = ReplayReport["skips"][number] & { id: string };
type SkipReason = Skip["reason"];
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
  return (
    <>
      {busy && <progress aria-label="Replayed events" value={done} max={Math.max(1, total)} />}
      <p role="status">
        {busy && `${done} of ${total} events. `}
        {!busy && done < total && `Stopped after ${done} of ${total} events. `}
        {evaluated} replayed, {changes.length} changed
        {skipped > 0 && `; ${skipped} cannot be re-evaluated`}.
      </p>
      {!busy && evaluated + skipped === 0 && (
        <p className="empty">No events in this time range. Select a longer one.</p>
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
            <h2>Changed events</h2>
            {changes.length > MAX_LISTED && <p>The latest {MAX_LISTED}.</p>}
            <Table
              caption="Events with a changed verdict"
              columns={EVENT_COLUMNS}
              rows={toListed(changes)}
              empty=""
            />
          </div>
        </>
      )}
      {skipped > 0 && <Skips report={report} />}
    </>
  );
}

const toListed = <Entry extends { event_id: string }>(entries: readonly Entry[]) =>
  entries.slice(0, MAX_LISTED).map((entry) => ({ ...entry, id: entry.event_id }));

/** Events without a new verdict, by reason. */
function Skips({ report: { skips } }: { report: ReplayReport }) {
  const counts = Map.groupBy(skips, ({ reason }) => reason);
  return (
    <section className="below" aria-label="Cannot be re-evaluated">
      <h2>Cannot be re-evaluated</h2>
      <ul className="entries">
        {[...counts].map(([reason, events]) => (
          <li key={reason}>
            <strong>{events.length}</strong> {events.length === 1 ? "event" : "events"}{" "}
            {REASONS[reason].text}
          </li>
        ))}
      </ul>
      <details className="below">
        <summary>
          {skips.length > MAX_LISTED ? `Show the latest ${MAX_LISTED} events` : "Show the events"}
        </summary>
        <Table
          caption="Events that cannot be re-evaluated"
          columns={SKIP_COLUMNS}
          rows={toListed(skips)}
          empty=""
        />
      </details>
    </section>
  );
}

const REASONS: Record<SkipReason, { label: string; text: string }> = {
  not_stored: {
    label: "content not stored",
    text: "without stored content. Set the content storage of the collector to full to replay new events.",
  },
  masked: {
    label: "content masked",
    text: "whose content was masked when it was stored, so a detector cannot find the same data again.",
  },
  truncated: {
    label: "content truncated",
    text: "whose content was too long to be stored completely.",
  },
  no_verdict: { label: "no verdict", text: "without a verdict, because a detector failed." },
  not_reproducible: {
    label: "not reproducible",
    text: "whose verdict depended on something that is not stored, such as an approval, an attachment or the response of a remote detector.",
  },
};

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

type Replayed = Pick<VerdictChange, "id" | "time" | "direction">;

const RECORDED: Column<Replayed>[] = [
  {
    head: "Time",
    rowHeader: true,
    cell: ({ id, time }) => (
      <Link to={`/activity?range=all&request_id=${id}&open=${id}`}>
        <Timestamp at={time} precise />
      </Link>
    ),
  },
  { head: "Direction", cell: ({ direction }) => direction },
];

const SKIP_COLUMNS: Column<Skip>[] = [
  ...RECORDED,
  { head: "Recorded verdict", cell: ({ before }) => <VerdictBadge status={before} /> },
  { head: "Reason", cell: ({ reason }) => REASONS[reason].label },
];

const EVENT_COLUMNS: Column<VerdictChange>[] = [
  ...RECORDED,
  { head: "Before", cell: ({ before }) => <VerdictBadge status={before} /> },
  { head: "After", cell: ({ after }) => <VerdictBadge status={after} /> },
];
