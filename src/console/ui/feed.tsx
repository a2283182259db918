/** Events, newest first: loads more pages on demand, and opens the event in the address. */
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { changeQuery, useLocation } from "../router.tsx";
import { useAction } from "../use-action.ts";
import type { SheetNavigation } from "./event-sheet.tsx";
import { Failure } from "./page.tsx";
import { type Column, Table } from "./table.tsx";
import { capitalize } from "./text.ts";
import { readRange } from "./time-range.ts";
import { useListView } from "./use-list-view.ts";
import { ViewMenu } from "./view-menu.tsx";

export interface EventPage<Event> {
  items: Event[];
  next_cursor: string | null;
}

interface FeedProps<Event extends { id: string }> {
  /** In the middle of a sentence: "requests". */
  what: string;
  /** Shown when there are none: how to get some. */
  hint: string;
  first: EventPage<Event>;
  /** Events that were recorded after the first page was loaded. */
  fresh?: readonly Event[];
  more: (cursor: string) => Promise<EventPage<Event>>;
  columns: (show: (id: string) => void) => Column<Event>[];
  sheet: (event: Event, neighbours: SheetNavigation) => ReactNode;
  /** Loads further pages until one is full: a page of a text search may be almost empty. */
  searching?: boolean;
}

/** Default page size of the server. */
const PAGE_SIZE = 50;

export function Feed<Event extends { id: string }>(props: FeedProps<Event>) {
  const { what, hint, first, fresh = [], more, columns, sheet, searching = false } = props;
  const [{ items: loaded, next_cursor }, setPage] = useState(first);
  const items = fresh.length > 0 ? merge(fresh, loaded) : loaded;
  const [target, setTarget] = useState(searching ? PAGE_SIZE : 0);
  const open = useLocation().search.get("open");
  const load = useAction(async (then?: (next: EventPage<Event>) => unknown) => {
    if (next_cursor === null) return;
    const next = await more(next_cursor);
    // A page that was requested twice is appended once.
    setPage((last) =>
      last.next_cursor === next_cursor
        ? { items: [...last.items, ...next.items], next_cursor: next.next_cursor }
        : last,
    );
    then?.(next);
  });
  const isSearching = next_cursor !== null && items.length < target && !load.error;
  const loadNext = useEffectEvent(() => void load.run());
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has the cursor of the next
  useEffect(() => {
    if (isSearching) loadNext();
  }, [isSearching, next_cursor]);

  const show = (id: string | undefined) => changeQuery({ open: id }, "replace");
  const view = useListView(columns(show));
  const at = items.findIndex(({ id }) => id === open);
  const shown = items[at];
  const older = () =>
    items[at + 1]
      ? show(items[at + 1]?.id)
      : void load.run((next) => next.items[0] && show(next.items[0].id));
  const atEnd = at === items.length - 1 && next_cursor === null;
  return (
    <>
      {!(isSearching && items.length === 0) && (
        <>
          <div className="toolbar">
            <ViewMenu view={view} />
          </div>
          <Table
            caption={`${capitalize(what)}, newest first`}
            columns={view.columns}
            rows={items}
            empty={<NoEvents what={what} hint={hint} />}
          />
        </>
      )}
      <Failure title={`More ${what} could not be loaded.`} error={load.error} />
      {isSearching ? (
        <div className="pager" role="status" aria-busy="true">
          <span className="muted">Searching older {what}…</span>
          <button type="button" className="button small" onClick={() => setTarget(0)}>
            Stop
          </button>
        </div>
      ) : (
        next_cursor && (
          <div className="pager">
            <button
              type="button"
              className="button"
              disabled={load.busy}
              onClick={() => (searching ? setTarget(items.length + PAGE_SIZE) : void load.run())}
            >
              {load.busy ? "Loading…" : searching ? "Search older" : "Load more"}
            </button>
          </div>
        )
      )}
      {shown &&
        sheet(shown, {
          onClose: () => show(undefined),
          newer: at > 0 ? () => show(items[at - 1]?.id) : undefined,
          older: atEnd || load.busy ? undefined : older,
        })}
    </>
  );
}

/** Returns all events, newest first. A late one may belong among those that were loaded. */
const merge = <Event extends { id: string }>(
  fresh: readonly Event[],
  loaded: readonly Event[],
): Event[] => {
  const added = new Set(fresh.map(({ id }) => id));
  const others = loaded.filter(({ id }) => !added.has(id));
  return [...fresh, ...others].sort((one, other) => (one.id < other.id ? 1 : -1));
};

function NoEvents({ what, hint }: { what: string; hint: string }) {
  const { search } = useLocation();
  if (readRange(search) === "all") {
    return (
      <p>
        No {what} found. {hint}
      </p>
    );
  }
  return (
    <>
      <p>No {what} in this time range.</p>
      <button type="button" className="button" onClick={() => changeQuery({ range: "all" })}>
        All time
      </button>
    </>
  );
}
