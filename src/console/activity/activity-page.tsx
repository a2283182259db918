/** Console → Activity: recorded evaluations, newest first, filtered by the address. */
import { useState } from "react";
import { call, endpointUrl } from "../api.ts";
import { activity } from "../endpoints.ts";
import { TailButton } from "../live/tail-button.tsx";
import { type Tail, useTail } from "../live/use-tail.ts";
import { formatTimeOfDay } from "../preferences.ts";
import { useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { Feed } from "../ui/feed.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { Page, Ready } from "../ui/page.tsx";
import { readRange } from "../ui/time-range.ts";
import { useLoad } from "../use-load.ts";
import { activityColumns } from "./activity-columns.tsx";
import { ActivityCounts } from "./activity-counts.tsx";
import { ActivityFilters } from "./activity-filters.tsx";
import { loadFilterNames, readActivityQuery } from "./activity-query.ts";
import { ActivitySheet } from "./activity-sheet.tsx";
import { ActivityVolume } from "./activity-volume.tsx";
import { EraseConsumerDialog } from "./erase-consumer-dialog.tsx";

export function ActivityPage() {
  const { search } = useLocation();
  const q = search.get("q") || undefined;
  const key = JSON.stringify([
    readRange(search),
    q,
    { ...readActivityQuery(search), from: undefined },
  ]);
  const loaded = useLoad(
    key,
    async (read) => {
      const query = { ...readActivityQuery(search), q };
      const more = (cursor: string) =>
        call(activity.list, { params: {}, query: { ...query, cursor } });
      const first = await read(activity.list, { params: {}, query });
      // Later pages keep the filter of the first, even if the address has changed.
      return { first, more, searching: Boolean(q ?? query.finding_type ?? query.reference) };
    },
    { ignoreOtherTabs: true },
  );
  const tail = useTail({
    topic: "evaluations",
    first: loaded.state === "ready" ? loaded.value.first : undefined,
    readNewest: () =>
      call(activity.list, { params: {}, query: { ...readActivityQuery(search), q } }),
    reload: loaded.reload,
  });
  const names = useLoad("", loadFilterNames);
  const as_of = loaded.state === "ready" ? loaded.at.toISOString() : "";
  return (
    <Page
      title="Activity"
      about={
        loaded.state === "ready"
          ? `Evaluations, newest first. Updated at ${formatTimeOfDay(loaded.at)}.`
          : "Evaluations, newest first."
      }
      actions={<Actions reload={loaded.reload} tail={tail} />}
    >
      <ActivityFilters names={names.state === "ready" ? names.value : {}} />
      {/* The server does not count text searches. */}
      {q === undefined && (
        <>
          <ActivityVolume turn={loaded.turn} isLive={!tail.isPaused} />
          <ActivityCounts turn={loaded.turn} isLive={!tail.isPaused} />
        </>
      )}
      <Ready of={loaded} what="The activity">
        {(page) => (
          <Feed
            key={as_of}
            what="evaluations"
            hint="They appear when an application calls /v1/evaluate with a collector key."
            {...page}
            fresh={tail.fresh}
            columns={activityColumns}
            sheet={(event, navigation) => <ActivitySheet event={event} {...navigation} />}
          />
        )}
      </Ready>
    </Page>
  );
}

function Actions({ reload, tail }: { reload: () => void; tail: Tail<unknown> }) {
  const { may, allGateways } = useSession();
  const { search } = useLocation();
  const [erasing, setErasing] = useState(false);
  const exportUrl = (format: "jsonl" | "csv") =>
    endpointUrl(activity.export, {
      params: {},
      query: { ...readActivityQuery(search), q: search.get("q") || undefined, format },
    });
  return (
    <>
      {may("audit") && (
        <>
          <a className="button" href={exportUrl("jsonl")} download>
            <Icon name="download" /> JSONL
          </a>
          <a className="button" href={exportUrl("csv")} download>
            <Icon name="download" /> CSV
          </a>
          <a
            className="button"
            href={endpointUrl(activity.exportFeedback, {
              params: {},
              query: readActivityQuery(search),
            })}
            download
          >
            <Icon name="download" /> Feedback
          </a>
        </>
      )}
      <TailButton tail={tail} />
      <button type="button" className="button" onClick={reload}>
        <Icon name="reload" /> Refresh
      </button>
      {may("own") && allGateways && (
        <Menu
          label="More options"
          items={[{ text: "Erase a consumer…", danger: true, onSelect: () => setErasing(true) }]}
        />
      )}
      {erasing && (
        <EraseConsumerDialog
          consumerId={search.get("consumer_id") ?? ""}
          onClose={() => setErasing(false)}
        />
      )}
    </>
  );
}
