/** Events, newest first: the pages that were asked for, and the one that the address opens. */
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { changeQuery, useLocation } from "../router.tsx";
import { useAction } from "../use-load.ts";
import type { SheetNavigation } from "./event-sheet.tsx";
import { Failure } from "./page.tsx";
import { type Column, Table } from "./table.tsx";
import { readRange } from "./time-range.ts";

export interface EventPage<Event> {
  items: Event[];
  next_cursor: string | null;
}

interface FeedProps<Event extends { id: string }> {
  /** In the middle of a sentence: "requests". */
  what: string;
  /** When there are none: how one comes here. */
  hint: string;
  first: EventPage<Event>;
  more: (cursor: string) => Promise<EventPage<Event>>;
  columns: (show: (id: string) => void) => Column<Event>[];
  sheet: (event: Event, neighbours: SheetNavigation) => ReactNode;
  /** A page may hold few events, or none, before the last: go on until there is a page full. */
  searching?: boolean;
}

/** As many as the server puts on a page when none are named. */
const PAGE = 50;

export function Feed<Event extends { id: string }>(props: FeedProps<Event>) {
  const { what, hint, first, more, columns, sheet, searching = false } = props;
  const [{ items, next_cursor }, setPage] = useState(first);
  const [wanted, setWanted] = useState(searching ? PAGE : 0);
  const open = useLocation().search.get("open");
  const load = useAction(async (then?: (next: EventPage<Event>) => unknown) => {
    if (next_cursor === null) return;
    const next = await more(next_cursor);
    // Asked for twice, it is shown once.
    setPage((last) =>
      last.next_cursor === next_cursor
        ? { items: [...last.items, ...next.items], next_cursor: next.next_cursor }
        : last,
    );
    then?.(next);
  });
  const hunting = next_cursor !== null && items.length < wanted && !load.error;
  const goOn = useEffectEvent(() => void load.run());
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page says where the next begins
  useEffect(() => {
    if (hunting) goOn();
  }, [hunting, next_cursor]);

  const show = (id: string | undefined) => changeQuery({ open: id }, "replace");
  const at = items.findIndex(({ id }) => id === open);
  const shown = items[at];
  const older = () =>
    items[at + 1]
      ? show(items[at + 1]?.id)
      : void load.run((next) => next.items[0] && show(next.items[0].id));
  const atEnd = at === items.length - 1 && next_cursor === null;
  return (
    <>
      {!(hunting && items.length === 0) && (
        <Table
          caption={`${capital(what)}, newest first`}
          columns={columns(show)}
          rows={items}
          empty={<Nothing what={what} hint={hint} />}
        />
      )}
      <Failure title={`More ${what} could not be loaded.`} error={load.error} />
      {hunting ? (
        <div className="pager" role="status" aria-busy="true">
          <span className="muted">Searching older {what}…</span>
          <button type="button" className="button small" onClick={() => setWanted(0)}>
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
              onClick={() => (searching ? setWanted(items.length + PAGE) : void load.run())}
            >
              {load.busy ? "Loading…" : searching ? "Search further" : "Load more"}
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

function Nothing({ what, hint }: { what: string; hint: string }) {
  const { search } = useLocation();
  if (readRange(search) === "all") {
    return (
      <p>
        There are no such {what}. {hint}
      </p>
    );
  }
  return (
    <>
      <p>There are no such {what} in this time.</p>
      <button type="button" className="button" onClick={() => changeQuery({ range: "all" })}>
        Look at all times
      </button>
    </>
  );
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
