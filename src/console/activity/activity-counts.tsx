/** Number of evaluations by status, loaded apart so that the list does not wait for it. */
import type { EvaluationEvent } from "../../contract/guard/activity.ts";
import { activity } from "../endpoints.ts";
import { CHART_REFRESH_MS, useLive } from "../live/live-stream.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { Ready } from "../ui/page.tsx";
import { VERDICTS, VerdictBadge } from "../ui/verdict-badge.tsx";
import { useLoad } from "../use-load.ts";
import { readActivityQuery } from "./activity-query.ts";

/** The server counts one day if `from` is missing. */
const EPOCH = "1970-01-01T00:00:00Z";

interface ActivityCountsProps {
  /** Reloads of the list below. */
  turn: number;
  /** False: the list below is paused. */
  isLive: boolean;
}

export function ActivityCounts({ turn, isLive }: ActivityCountsProps) {
  const { search } = useLocation();
  const { status, ...others } = readActivityQuery(search);
  const key = JSON.stringify([turn, { ...others, from: search.get("range") }]);
  const loaded = useLoad(key, (read) =>
    read(activity.counts, { params: {}, query: { ...others, from: others.from ?? EPOCH } }),
  );
  useLive(isLive ? ["evaluations"] : [], loaded.reload, CHART_REFRESH_MS);
  const filterBy = (next: EvaluationEvent["status"] | undefined) => changeQuery({ status: next });
  // Reserves the space of the counts.
  if (loaded.state === "loading" && !loaded.late)
    return <div className="counts" aria-busy="true" />;
  return (
    <Ready of={loaded} what="The counts">
      {({ total, by_status }) => (
        <ul className="counts" aria-label="Evaluations by status">
          <li>
            <button type="button" aria-pressed={!status} onClick={() => filterBy(undefined)}>
              <strong>{total.toLocaleString()}</strong> total
            </button>
          </li>
          {VERDICTS.map((name) => (
            <li key={name}>
              <button type="button" aria-pressed={status === name} onClick={() => filterBy(name)}>
                <strong>{(by_status[name] ?? 0).toLocaleString()}</strong>
                <VerdictBadge status={name} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Ready>
  );
}
